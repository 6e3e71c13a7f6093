// Python class CsvBlock: the records of a block of CSV.
#include "interchange/csv.h"

#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings/batch.h"

namespace nabi {
namespace {

// The records of a block of CSV; keeps the block alive.
struct CsvBlock {
  CsvBlock(In<u8> block, size_t size, bool final, CsvDialect dialect, std::vector<u32> wanted,
           u64 longest)
      : text(block), records(parsed(block, size, final, dialect, wanted, longest)) {}
  In<u8> text;
  CsvRecords records;

 private:
  static CsvRecords parsed(const In<u8>& block, size_t size, bool final, const CsvDialect& dialect,
                           const std::vector<u32>& wanted, u64 longest) {
    bool fits = size <= block.size() && !wanted.empty();
    for (const u32 column : wanted) fits = fits && column < dialect.columns;
    if (!fits) throw std::invalid_argument("columns or a size that do not fit the block");
    const Unlocked unlocked;
    return CsvRecords({block.data(), size}, final, dialect, wanted, longest);
  }
};

}  // namespace

void bind_csv(nb::module_& m) {
  nb::class_<CsvBlock>(m, "CsvBlock")
      .def(
          "__init__",
          [](CsvBlock* self, In<u8> block, size_t size, bool final, u8 delimiter, u8 quote,
             u8 line_end, u32 columns, std::vector<u32> wanted, u64 longest) {
            new (self) CsvBlock(block, size, final, {delimiter, quote, line_end, columns},
                                std::move(wanted), longest);
          },
          "block"_a, nb::kw_only(), "size"_a, "final"_a, "delimiter"_a, "quote"_a, "line_end"_a,
          "columns"_a, "wanted"_a, "longest"_a)
      .def("__len__", [](const CsvBlock& block) { return block.records.begins.size(); })
      .def_prop_ro("consumed", [](const CsvBlock& block) { return block.records.consumed; })
      .def_prop_ro(
          "begins", [](const CsvBlock& block) { return give(std::vector(block.records.begins)); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "ends", [](const CsvBlock& block) { return give(std::vector(block.records.ends)); },
          nb::rv_policy::automatic)
      .def_prop_ro("bad",
                   [](const CsvBlock& block) {
                     nb::list out;
                     for (const BadRecord& bad : block.records.bad)
                       out.append(nb::make_tuple(bad.begin, bad.end, bad.kind, bad.columns));
                     return out;
                   })
      .def(
          "column",
          [](nb::object self, size_t i) {
            const CsvBlock& block = nb::cast<const CsvBlock&>(self);
            if (i >= block.records.columns.size()) throw std::invalid_argument("no such column");
            return Batch::borrowed(self, block.records.columns[i]);
          },
          "i"_a);
}

}  // namespace nabi
