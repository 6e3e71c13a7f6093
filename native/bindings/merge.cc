// Python class SortedMerge: the sum of several model files, range by range.
#include "count/merge.h"

#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings/stored_numbers.h"
#include "platform/threads.h"

namespace nabi {
namespace {

// The merge, and the arrays that it reads.
struct Merge {
  Merge(const Recipe& recipe, u32 n_classes, u64 floor) : merge(recipe, n_classes, floor) {}
  SortedMerge merge;
  std::vector<AnyArray> held;
};

// Raises ValueError with two arguments: the index of the file, and what is wrong with it.
template <class Work>
auto naming_the_file(Work work) {
  try {
    return work();
  } catch (const BrokenFile& error) {
    PyErr_SetObject(PyExc_ValueError, nb::make_tuple(error.file, error.what()).ptr());
    throw nb::python_error();
  }
}

nb::list ranges(Merge& own, size_t first, size_t last, unsigned threads) {
  std::vector<MergedRange> found(last > first ? last - first : 0);
  naming_the_file([&] {
    const Unlocked unlocked;
    on_pieces(
        found.size(), unsigned(std::min<size_t>(threads, found.size())), [](unsigned) { return 0; },
        [&](int, size_t i, unsigned) { found[i] = own.merge.range(first + i); });
    return 0;
  });
  nb::list out;
  for (MergedRange& range : found)
    out.append(nb::make_tuple(give(std::move(range.words)), give(std::move(range.word_sizes)),
                              give(std::move(range.cell_sizes)), give(std::move(range.classes)),
                              give(std::move(range.counts))));
  return out;
}

}  // namespace

void bind_merge(nb::module_& m) {
  nb::class_<Merge>(m, "SortedMerge")
      .def(nb::init<const Recipe&, u32, u64>(), "recipe"_a, "n_classes"_a, "floor"_a)
      .def(
          "add",
          [](Merge& own, In<u8> words, AnyArray word_offsets, AnyArray cell_offsets,
             AnyArray classes, AnyArray counts, unsigned shift, In<u32> class_map) {
            naming_the_file([&] {
              own.merge.add({span(words), numbers(word_offsets), numbers(cell_offsets),
                             numbers(classes), numbers(counts), shift, copy(class_map)});
              return 0;
            });
            own.held.insert(own.held.end(),
                            {AnyArray(words), word_offsets, cell_offsets, classes, counts});
          },
          "words"_a, "word_offsets"_a, "cell_offsets"_a, "classes"_a, "counts"_a, "shift"_a,
          "class_map"_a)
      .def(
          "sample",
          [](Merge& own, size_t file, u64 bytes, u64 piece, u64 pieces) {
            naming_the_file([&] {
              const Unlocked unlocked;
              own.merge.sample(file, bytes, piece, pieces);
              return 0;
            });
          },
          "file"_a, "bytes"_a, "piece"_a, "pieces"_a)
      .def(
          "cut",
          [](Merge& own, u64 bytes) {
            const Unlocked unlocked;
            return own.merge.cut(bytes);
          },
          "bytes"_a)
      .def(
          "place",
          [](Merge& own, size_t file, u64 piece, u64 pieces) {
            naming_the_file([&] {
              const Unlocked unlocked;
              own.merge.place(file, piece, pieces);
              return 0;
            });
          },
          "file"_a, "piece"_a, "pieces"_a)
      .def("ranges", &ranges, "first"_a, "last"_a, "threads"_a)
      .def_prop_ro(
          "tokens", [](const Merge& own) { return give(own.merge.tokens()); },
          nb::rv_policy::automatic)
      .def_prop_ro("seen", [](const Merge& own) {
        nb::list out;
        for (const SeenNumbers& seen : own.merge.seen())
          out.append(nb::make_tuple(seen.bits, seen.most_count, seen.most_class));
        return out;
      });
}

}  // namespace nabi
