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
           const CsvLimits& limits, unsigned threads)
      : text(block), records(parsed(block, size, final, dialect, wanted, limits, threads)) {}
  In<u8> text;
  CsvRecords records;

 private:
  static CsvRecords parsed(const In<u8>& block, size_t size, bool final, const CsvDialect& dialect,
                           const std::vector<u32>& wanted, const CsvLimits& limits,
                           unsigned threads) {
    bool fits = size <= block.size() && !wanted.empty();
    for (const u32 column : wanted) fits = fits && column < dialect.columns;
    if (!fits) throw std::invalid_argument("columns or a size that do not fit the block");
    const Unlocked unlocked;
    return CsvRecords({block.data(), size}, final, dialect, wanted, limits, threads);
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

// Rows as they stand in a block, each followed by one of some endings.
nb::bytes ended_rows(In<u8> block, In<u64> begins, In<u64> ends, In<int32_t> codes,
                     std::vector<nb::bytes> endings) {
  const size_t n = begins.size();
  bool fits = ends.size() == n && codes.size() == n;
  for (size_t i = 0; fits && i < n; ++i)
    fits = begins.data()[i] <= ends.data()[i] && ends.data()[i] <= block.size() &&
           size_t(codes.data()[i]) < endings.size();
  if (!fits) throw std::invalid_argument("rows or endings that are not there");
  std::vector<std::string_view> tails;
  for (const nb::bytes& ending : endings) tails.emplace_back(ending.c_str(), ending.size());
  size_t size = 0;
  for (size_t i = 0; i < n; ++i)
    size += ends.data()[i] - begins.data()[i] + tails[size_t(codes.data()[i])].size();
  PyObject* const out = PyBytes_FromStringAndSize(nullptr, Py_ssize_t(size));
  if (!out) throw nb::python_error();
  nb::bytes rows = nb::steal<nb::bytes>(out);
  char* p = PyBytes_AsString(out);
  {
    const Unlocked unlocked;
    for (size_t i = 0; i < n; ++i) {
      const size_t begin = begins.data()[i], length = ends.data()[i] - begin;
      std::memcpy(p, block.data() + begin, length);
      const std::string_view tail = tails[size_t(codes.data()[i])];
      std::memcpy(p + length, tail.data(), tail.size());
      p += length + tail.size();
    }
  }
  return rows;
}

}  // namespace

void bind_csv(nb::module_& m) {
  m.def("ended_rows", &ended_rows, "block"_a, "begins"_a, "ends"_a, "codes"_a, "endings"_a);
  nb::class_<CsvBlock>(m, "CsvBlock")
      .def(
          "__init__",
          [](CsvBlock* self, In<u8> block, size_t size, bool final, u8 delimiter, u8 quote,
             u8 line_end, u32 columns, std::vector<u32> wanted, u64 longest, u64 most, u64 bad,
             unsigned threads) {
            new (self) CsvBlock(block, size, final, {delimiter, quote, line_end, columns},
                                std::move(wanted), {longest, most, bad}, threads);
          },
          "block"_a, nb::kw_only(), "size"_a, "final"_a, "delimiter"_a, "quote"_a, "line_end"_a,
          "columns"_a, "wanted"_a, "longest"_a, "most"_a = UINT64_MAX, "bad"_a = UINT64_MAX,
          "threads"_a = 1)
      .def("__len__", [](const CsvBlock& block) { return block.records.begins.size(); })
      .def_prop_ro("consumed", [](const CsvBlock& block) { return block.records.consumed; })
      .def_prop_ro("full", [](const CsvBlock& block) { return block.records.full; })
      .def_prop_ro("line_ends", [](const CsvBlock& block) { return block.records.line_ends(); })
      .def_prop_ro("has_bare_returns",
                   [](const CsvBlock& block) { return block.records.has_bare_returns(); })
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
