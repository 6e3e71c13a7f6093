// The Python module nabi._native, and its class Batch.
#include <nanobind/stl/unique_ptr.h>

#include "bindings/batch.h"
#include "numbers/parse_numbers.h"
#include "unicode/code_point.h"

namespace nabi {

void bind_batch(nb::module_& m) {
  nb::class_<Batch>(m, "Batch")
      .def_static("from_sequence", &Batch::from_sequence, "texts"_a)
      .def_static("from_arrow", &Batch::from_arrow, "texts"_a)
      .def_static("joined", &Batch::joined, "batches"_a)
      .def("taken", &Batch::taken, "places"_a)
      .def(
          "entities",
          [](const Batch& batch, unsigned threads) { return give(batch.entities(threads)); },
          "threads"_a = 1)
      .def("replaced", &Batch::replaced, "places"_a, "texts"_a)
      .def("stemmed", &Batch::stemmed, "words"_a, "stems"_a)
      .def("to_list", &Batch::to_list)
      .def("codes", &Batch::codes)
      .def("numbers",
           [](const Batch& batch) {
             ParsedNumbers numbers = numbers_of(batch.texts);
             return nb::make_tuple(give(std::move(numbers.values)), give(std::move(numbers.bad)),
                                   numbers.whole, numbers.padded);
           })
      .def_prop_ro("bytes", &Batch::bytes)
      .def_prop_ro("wide_bytes", &Batch::wide_bytes)
      .def("__len__", [](const Batch& batch) { return batch.texts.size(); });
}

// The class bits and the lower case of every code point, for tokenisers written in other languages.
nb::tuple code_points() {
  constexpr u32 kAll = 0x110000;
  std::vector<u8> flags(kAll);
  std::vector<u32> lower(kAll);
  for (u32 c = 0; c < kAll; ++c) {
    flags[c] = flags_of(c);
    lower[c] = lower_of(c);
  }
  return nb::make_tuple(give(std::move(flags)), give(std::move(lower)));
}

}  // namespace nabi

NB_MODULE(_native, m) {
  // At exit Python may leave objects of ours alive (a model in a global): no cause for alarm.
  nb::set_leak_warnings(false);
  m.attr("UNICODE_VERSION") = kUnicodeVersion;
  m.def("code_points", &nabi::code_points);
  nabi::bind_batch(m);
  nabi::bind_labels(m);
  nabi::bind_rows(m);
  nabi::bind_csv(m);
  nabi::bind_tables(m);
  nabi::bind_new_features(m);
  nabi::bind_merge(m);
  nabi::bind_stream(m);
  nabi::bind_scorers(m);
  nabi::bind_counted_scorer(m);
  nabi::bind_numbers(m);
  nabi::bind_matrix(m);
  nabi::bind_held_out(m);
  nabi::bind_linear(m);
}
