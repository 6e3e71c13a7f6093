// Python class CsvBlock: the records of a block of CSV.
#include "interchange/csv.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings/batch.h"

namespace nabi {
namespace {

// The records of a block of CSV; keeps the block alive.
struct CsvBlock {
  CsvBlock(In<u8> block, size_t size, bool final, CsvDialect dialect, std::vector<u32> wanted,
           const CsvLimits& limits)
      : text(block), records(parsed(block, size, final, dialect, wanted, limits)) {}
  In<u8> text;
  CsvRecords records;

 private:
  static CsvRecords parsed(const In<u8>& block, size_t size, bool final, const CsvDialect& dialect,
                           const std::vector<u32>& wanted, const CsvLimits& limits) {
    bool fits = size <= block.size() && !wanted.empty();
    for (const u32 column : wanted) fits = fits && column < dialect.columns;
    if (!fits) throw std::invalid_argument("columns or a size that do not fit the block");
    const Unlocked unlocked;
    return CsvRecords({block.data(), size}, final, dialect, wanted, limits);
  }
};

nb::bytes rejects(const CsvBlock& block, nb::bytes file, u64 line, std::vector<std::string> reasons,
                  In<u64> unlabelled, std::string reason) {
  bool fits = reasons.size() == 1 + BadRecord::kNotUtf8;
  for (const u64 row : span(unlabelled)) fits = fits && row < block.records.begins.size();
  if (!fits) throw std::invalid_argument("reasons or records that are not there");
  std::string out;
  {
    const CsvReasons given{{file.c_str(), file.size()}, std::move(reasons), std::move(reason)};
    const Unlocked unlocked;
    out = block.records.rejects(given, span(unlabelled), line);
  }
  return nb::bytes(out.data(), out.size());
}

}  // namespace

void bind_csv(nb::module_& m) {
  nb::class_<CsvBlock>(m, "CsvBlock")
      .def(
          "__init__",
          [](CsvBlock* self, In<u8> block, size_t size, bool final, u8 delimiter, u8 quote,
             u8 line_end, u32 columns, std::vector<u32> wanted, u64 longest, u64 most, u64 bad) {
            new (self) CsvBlock(block, size, final, {delimiter, quote, line_end, columns},
                                std::move(wanted), {longest, most, bad});
          },
          "block"_a, nb::kw_only(), "size"_a, "final"_a, "delimiter"_a, "quote"_a, "line_end"_a,
          "columns"_a, "wanted"_a, "longest"_a, "most"_a = UINT64_MAX, "bad"_a = UINT64_MAX)
      .def("__len__", [](const CsvBlock& block) { return block.records.begins.size(); })
      .def_prop_ro("consumed", [](const CsvBlock& block) { return block.records.consumed; })
      .def_prop_ro("full", [](const CsvBlock& block) { return block.records.full; })
      .def_prop_ro("line_ends", [](const CsvBlock& block) { return block.records.line_ends(); })
      .def_prop_ro("n_bad", [](const CsvBlock& block) { return block.records.bad.size(); })
      .def_prop_ro(
          "begins", [](const CsvBlock& block) { return give(std::vector(block.records.begins)); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "ends", [](const CsvBlock& block) { return give(std::vector(block.records.ends)); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "bad",
          [](const CsvBlock& block) {
            nb::list out;
            for (const BadRecord& bad : block.records.bad)
              out.append(nb::make_tuple(bad.begin, bad.end, bad.kind, bad.columns, bad.at));
            return out;
          })
      .def("rejects", &rejects, "file"_a, "line"_a, "reasons"_a, "unlabelled"_a, "reason"_a)
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
