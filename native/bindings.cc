// The one file that knows Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "arrow.h"
#include "model_arrays.h"
#include "scorer.h"
#include "trace.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace nabi {
namespace {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T>;

template <class T>
std::span<const T> span(const In<T>& array) {
  return {array.data(), array.size()};
}
template <class T>
std::vector<T> copy(const In<T>& array) {
  return {array.data(), array.data() + array.size()};
}

// A vector as a NumPy array, without a copy.
template <class T>
Out<T> give(std::vector<T>&& values) {
  auto* const owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Out<T>(owned->data(), {owned->size()}, owner);
}

// ---- texts ----

class Batch {
 public:
  Texts texts;

  Batch() = default;
  Batch(const Batch&) = delete;
  ~Batch() {
    for (ArrowArray& array : arrays_)
      if (array.release) array.release(&array);
  }

  static std::unique_ptr<Batch> from_sequence(nb::sequence given) {
    auto batch = std::make_unique<Batch>();
    // A tuple of its own: nobody can take a string out of it while the lock is released.
    PyObject* const tuple = PySequence_Tuple(given.ptr());
    if (!tuple) throw nb::python_error();
    batch->owner_ = nb::steal(tuple);
    const Py_ssize_t n = PyTuple_GET_SIZE(tuple);
    batch->texts.reserve(size_t(n));
    for (Py_ssize_t i = 0; i < n; ++i) batch->texts.push_back(text(PyTuple_GET_ITEM(tuple, i), i));
    return batch;
  }

  static std::unique_ptr<Batch> from_arrow(nb::object given) {
    auto batch = std::make_unique<Batch>();
    if (nb::hasattr(given, "__arrow_c_stream__"))
      batch->read_stream(nb::object(given.attr("__arrow_c_stream__")()));
    else
      batch->read_array(nb::tuple(given.attr("__arrow_c_array__")()));
    return batch;
  }

  // The texts as str, None where missing.
  nb::list to_list() const {
    nb::list out;
    TextReader reader;
    for (const Text& text : texts) {
      const Utf8 utf8 = reader.read(text);
      if (text.kind == Text::kMissing)
        out.append(nb::none());
      else
        out.append(nb::str(reinterpret_cast<const char*>(utf8.data), utf8.size));
    }
    return out;
  }

  u64 bytes() const {
    u64 sum = 0;
    for (const Text& text : texts) sum += text.bytes();
    return sum;
  }

 private:
  static Text text(PyObject* object, Py_ssize_t i) {
    if (PyUnicode_Check(object)) {
#if PY_VERSION_HEX < 0x030C0000
      if (PyUnicode_READY(object) < 0) throw nb::python_error();
#endif
      const size_t size = size_t(PyUnicode_GET_LENGTH(object));
      const void* const data = PyUnicode_DATA(object);
      if (PyUnicode_IS_ASCII(object)) return {data, size, Text::kAscii};
      switch (PyUnicode_KIND(object)) {
        case PyUnicode_1BYTE_KIND:
          return {data, size, Text::kLatin1};
        case PyUnicode_2BYTE_KIND:
          return {data, size, Text::kUcs2};
        default:
          return {data, size, Text::kUcs4};
      }
    }
    const bool nan = PyFloat_Check(object) && std::isnan(PyFloat_AS_DOUBLE(object));
    const std::string type = Py_TYPE(object)->tp_name;
    if (object == Py_None || nan || type.ends_with("NAType")) return {};
    PyErr_Format(PyExc_TypeError, "texts[%zd] is of type %s, expected str or None", i,
                 Py_TYPE(object)->tp_name);
    throw nb::python_error();
  }

  void read_stream(nb::object capsule) {
    auto* const stream =
        static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
    if (!stream) throw nb::python_error();
    ArrowSchema schema{};
    fail_if(stream->get_schema(stream, &schema), stream);
    const std::unique_ptr<ArrowSchema, void (*)(ArrowSchema*)> guard(&schema, [](ArrowSchema* s) {
      if (s->release) s->release(s);
    });
    for (;;) {
      ArrowArray array{};
      fail_if(stream->get_next(stream, &array), stream);
      if (!array.release) return;
      arrays_.push_back(array);
      append_arrow(schema, array, texts);
    }
  }

  void read_array(nb::tuple capsules) {
    auto* const schema = static_cast<ArrowSchema*>(
        PyCapsule_GetPointer(nb::object(capsules[0]).ptr(), "arrow_schema"));
    auto* const array = static_cast<ArrowArray*>(
        PyCapsule_GetPointer(nb::object(capsules[1]).ptr(), "arrow_array"));
    if (!schema || !array) throw nb::python_error();
    arrays_.push_back(*array);
    array->release = nullptr;  // ours now
    append_arrow(*schema, arrays_.back(), texts);
  }

  static void fail_if(int error, ArrowArrayStream* stream) {
    if (!error) return;
    const char* const why = stream->get_last_error(stream);
    throw std::invalid_argument(std::string("the Arrow stream failed: ") + (why ? why : "?"));
  }

  nb::object owner_;
  std::vector<ArrowArray> arrays_;
};

// ---- tables ----

// A table with its lock: many may read while nobody writes.
struct Table {
  explicit Table(CountTable&& t) : table(std::move(t)) {}
  CountTable table;
  mutable std::shared_mutex mutex;
};

using CellArrays = std::tuple<Out<u64>, Out<u32>, Out<u64>>;
nb::tuple give(Cells&& cells) {
  return nb::make_tuple(give(std::move(cells.offsets)), give(std::move(cells.classes)),
                        give(std::move(cells.counts)));
}

nb::tuple count_batch(const Batch& batch, In<u32> classes, u32 n_classes, In<u64> units,
                      const Recipe& recipe, unsigned threads) {
  const auto each = span(classes);
  const auto weights = span(units);
  bool fits = each.size() == batch.texts.size() && batch.texts.size() < kNone &&
              (weights.empty() || weights.size() == each.size());
  for (const u32 c : each) fits = fits && c < n_classes;
  if (!fits) throw std::invalid_argument("classes or weights that do not fit the texts");
  std::unique_ptr<Counted> counted;
  std::unique_ptr<Table> table;
  {
    nb::gil_scoped_release release;
    counted =
        std::make_unique<Counted>(count(batch.texts, each, n_classes, weights, recipe, threads));
    table = std::make_unique<Table>(std::move(counted->table));
  }
  return nb::make_tuple(nb::cast(std::move(table)), give(std::move(counted->fingerprints)),
                        counted->missing, counted->repaired);
}

void check_map(const Table& other, const In<u32>& class_map) {
  if (class_map.size() != other.table.docs.size())
    throw std::invalid_argument("a class map that does not fit");
}

// Calls change(own, other) with the first locked for writing and the other for reading.
template <class Change>
void change(Table& own, const Table& other, const In<u32>& class_map, Change change) {
  const nb::gil_scoped_release release;
  if (&own == &other) {  // what is read must not change meanwhile
    const std::unique_lock writing(own.mutex);
    check_map(own, class_map);
    return change(own.table, CountTable(own.table));
  }
  std::unique_lock writing(own.mutex, std::defer_lock);
  std::shared_lock reading(other.mutex, std::defer_lock);
  std::lock(writing, reading);
  check_map(other, class_map);
  change(own.table, other.table);
}

void add(Table& own, const Table& other, In<u32> class_map) {
  change(own, other, class_map,
         [&](CountTable& to, const CountTable& from) { to.add(from, span(class_map)); });
}

nb::object subtract(Table& own, const Table& other, In<u32> class_map) {
  std::optional<std::vector<u8>> lacking;
  change(own, other, class_map, [&](CountTable& from, const CountTable& taken) {
    lacking = from.subtract(taken, span(class_map));
  });
  if (!lacking) return nb::none();
  return nb::bytes(lacking->data(), lacking->size());
}

// ---- scorers ----

struct ScorerHandle {
  ScorerHandle(const Table& t, Weights&& w) : table(t), scorer(t.table.vocabulary, std::move(w)) {}
  const Table& table;
  Scorer scorer;

  nb::tuple joint(const Batch& batch, In<double> prior, unsigned threads) const {
    const size_t n = batch.texts.size(), width = scorer.classes();
    Seen seen{};
    auto* const out = new double[std::max<size_t>(1, n * width)];
    nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    {
      nb::gil_scoped_release release;
      const std::shared_lock reading(table.mutex);
      seen = scorer.joint(batch.texts, span(prior), threads, out);
    }
    return nb::make_tuple(Out<double>(out, {n, width}, owner), seen.missing, seen.repaired);
  }

  nb::tuple best(const Batch& batch, In<double> prior, unsigned threads) const {
    Seen seen{};
    std::vector<u32> out(batch.texts.size());
    {
      nb::gil_scoped_release release;
      const std::shared_lock reading(table.mutex);
      seen = scorer.best(batch.texts, span(prior), threads, out.data());
    }
    return nb::make_tuple(give(std::move(out)), seen.missing, seen.repaired);
  }
};

// libm's functions one number at a time: a weight must not depend on where in an array it is
// worked out, as it may with vector instructions.
template <double (*function)(double)>
Out<double> each_number(In<double> x) {
  std::vector<double> out(x.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = function(x.data()[i]);
  return give(std::move(out));
}

void bind_recipe(nb::module_& m) {
  nb::enum_<Preset>(m, "Preset")
      .value("words", Preset::kWords)
      .value("sklearn", Preset::kSklearn)
      .value("tweets", Preset::kTweets)
      .value("chars", Preset::kChars)
      .value("custom", Preset::kCustom);
  nb::class_<Recipe>(m, "Recipe")
      .def(
          "__init__",
          [](Recipe* self, Preset preset, std::pair<u32, u32> words, std::pair<u32, u32> chars,
             bool lowercase, bool binary, bool negation, u64 buckets,
             std::vector<std::string> stop_words) {
            const auto [lo, hi] = words;
            if (lo > hi || hi > kMostOrder || chars.first > chars.second || buckets >= kMostIds)
              throw std::invalid_argument("a recipe out of range");
            new (self) Recipe{preset,    lo,     hi,       chars.first, chars.second,
                              lowercase, binary, negation, buckets,     std::move(stop_words)};
          },
          nb::kw_only(), "preset"_a, "words"_a, "chars"_a, "lowercase"_a, "binary"_a, "negation"_a,
          "buckets"_a, "stop_words"_a);
}

void bind_table(nb::module_& m) {
  nb::class_<Table>(m, "Table")
      .def_static(
          "from_arrays",
          [](const Recipe& recipe, In<u8> words, In<u64> word_offsets, In<u64> cell_offsets,
             In<u32> classes, In<u64> counts, In<u64> docs) {
            nb::gil_scoped_release release;
            return std::make_unique<Table>(from_arrays(recipe, span(words), span(word_offsets),
                                                       span(cell_offsets), span(classes),
                                                       span(counts), span(docs)));
          },
          "recipe"_a, "words"_a, "word_offsets"_a, "cell_offsets"_a, "classes"_a, "counts"_a,
          "docs"_a)
      .def("add", &add, "other"_a, "class_map"_a)
      .def("subtract", &subtract, "other"_a, "class_map"_a)
      .def("copy",
           [](const Table& own) {
             nb::gil_scoped_release release;
             const std::shared_lock reading(own.mutex);
             return std::make_unique<Table>(CountTable(own.table));
           })
      .def("names",
           [](const Table& own) {
             const std::shared_lock reading(own.mutex);
             auto names = own.table.vocabulary.names();
             return nb::make_tuple(give(std::move(names.bytes)), give(std::move(names.offsets)));
           })
      .def("cells",
           [](const Table& own) {
             const std::shared_lock reading(own.mutex);
             return give(own.table.cells());
           })
      .def(
          "find",
          [](const Table& own, In<u8> names, In<u64> offsets) {
            const std::shared_lock reading(own.mutex);
            return give(own.table.find(span(names), span(offsets)));
          },
          "names"_a, "offsets"_a)
      .def(
          "to_arrays",
          [](const Table& own, In<u32> class_rank) {
            if (class_rank.size() != own.table.docs.size())
              throw std::invalid_argument("a class rank that does not fit");
            ModelArrays out;
            {
              nb::gil_scoped_release release;
              const std::shared_lock reading(own.mutex);
              out = to_arrays(own.table, span(class_rank));
            }
            return nb::make_tuple(give(std::move(out.words)), give(std::move(out.word_offsets)),
                                  give(std::move(out.cells.offsets)),
                                  give(std::move(out.cells.classes)),
                                  give(std::move(out.cells.counts)));
          },
          "class_rank"_a)
      .def_prop_ro(
          "docs",
          [](const Table& own) {
            const std::shared_lock reading(own.mutex);
            return give(std::vector(own.table.docs));
          },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "tokens",
          [](const Table& own) {
            const std::shared_lock reading(own.mutex);
            return give(std::vector(own.table.tokens));
          },
          nb::rv_policy::automatic)
      // How many of names() are words: they come first.
      .def_prop_ro("words", [](const Table& own) { return own.table.vocabulary.size(kWords); })
      .def_prop_ro("features", [](const Table& own) {
        const std::shared_lock reading(own.mutex);
        return own.table.features();
      });
}

void bind_scorer(nb::module_& m) {
  nb::class_<ScorerHandle>(m, "Scorer")
      .def(
          "__init__",
          [](ScorerHandle* self, const Table& table, In<double> bias, In<double> slope,
             In<u8> known, In<double> shared, In<u64> offsets, In<u32> classes, In<double> cells,
             In<int64_t> hard_bias, In<u8> hard_shared, In<int8_t> hard_cells) {
            const std::shared_lock reading(table.mutex);
            new (self)
                ScorerHandle(table, Weights{copy(bias), copy(slope), copy(known), copy(shared),
                                            copy(offsets), copy(classes), copy(cells),
                                            copy(hard_bias), copy(hard_shared), copy(hard_cells)});
          },
          nb::keep_alive<1, 2>(), "table"_a, nb::kw_only(), "bias"_a, "slope"_a, "known"_a,
          "shared"_a, "offsets"_a, "classes"_a, "cells"_a, "hard_bias"_a, "hard_shared"_a,
          "hard_cells"_a)
      .def("joint", &ScorerHandle::joint, "batch"_a, "prior"_a, "threads"_a)
      .def("best", &ScorerHandle::best, "batch"_a, "prior"_a, "threads"_a);
}

}  // namespace
}  // namespace nabi

NB_MODULE(_native, m) {
  using namespace nabi;
  // At exit Python may leave objects of ours alive (a model in a global): no cause for alarm.
  nb::set_leak_warnings(false);
  m.attr("UNIT") = kUnit;
  m.attr("UNICODE_VERSION") = kUnicodeVersion;
  bind_recipe(m);
  nb::class_<Batch>(m, "Batch")
      .def_static("from_sequence", &Batch::from_sequence, "texts"_a)
      .def_static("from_arrow", &Batch::from_arrow, "texts"_a)
      .def("to_list", &Batch::to_list)
      .def_prop_ro("bytes", &Batch::bytes)
      .def("__len__", [](const Batch& batch) { return batch.texts.size(); });
  bind_table(m);
  bind_scorer(m);
  m.def("count", &count_batch, "batch"_a, "classes"_a, "n_classes"_a, "units"_a, "recipe"_a,
        "threads"_a);
  m.def(
      "fingerprints",
      [](const Batch& batch) {
        std::vector<u64> out;
        TextReader reader;
        for (const Text& text : batch.texts) {
          const Utf8 utf8 = reader.read(text);
          out.push_back(hash64(utf8.data, utf8.size, kDocumentSeed));
        }
        return give(std::move(out));
      },
      "batch"_a);
  m.def(
      "trace",
      [](const Batch& batch, const Recipe& recipe) {
        if (batch.texts.size() != 1) throw std::invalid_argument("one text, please");
        Traced traced = trace(batch.texts[0], recipe);
        auto names = traced.vocabulary.names();
        return nb::make_tuple(give(std::move(names.bytes)), give(std::move(names.offsets)),
                              give(std::move(traced.features)), give(std::move(traced.begin)),
                              give(std::move(traced.end)));
      },
      "batch"_a, "recipe"_a);
  m.def(
      "locate",
      [](In<u8> words, nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu> offsets,
         In<u8> names, In<u64> name_offsets) {
        if (offsets.dtype() == nb::dtype<u32>())
          return give(locate(span(words),
                             std::span(static_cast<const u32*>(offsets.data()), offsets.size()),
                             span(names), span(name_offsets)));
        if (offsets.dtype() == nb::dtype<u64>())
          return give(locate(span(words),
                             std::span(static_cast<const u64*>(offsets.data()), offsets.size()),
                             span(names), span(name_offsets)));
        throw std::invalid_argument("word offsets of a strange type");
      },
      "words"_a, "offsets"_a, "names"_a, "name_offsets"_a);
  m.def("log", &each_number<std::log>, "x"_a);
  m.def("log1p", &each_number<std::log1p>, "x"_a);
}
