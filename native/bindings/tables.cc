// Python classes Recipe and Table, and the functions that count and trace texts.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <mutex>
#include <optional>

#include "bindings/batch.h"
#include "bindings/stored_numbers.h"
#include "bindings/table.h"
#include "count/counter.h"
#include "count/from_arrays.h"
#include "count/model_arrays.h"
#include "vocabulary/trace.h"

namespace nabi {
namespace {

nb::tuple give_cells(Cells&& cells) {
  return nb::make_tuple(give(std::move(cells.offsets)), give(std::move(cells.classes)),
                        give(std::move(cells.counts)));
}

nb::tuple count_batch(const Batch& batch, In<u32> classes, u32 n_classes, In<u64> units,
                      const Recipe& recipe, unsigned threads, Fingerprint kind) {
  check_countable(batch, classes, n_classes, units);
  std::unique_ptr<Counted> counted;
  std::unique_ptr<Table> table;
  {
    const Unlocked unlocked;
    counted = std::make_unique<Counted>(
        count(batch.texts, span(classes), n_classes, span(units), recipe, threads, kind));
    batch.restore(kind, counted->fingerprints);
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
  const Unlocked unlocked;
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

void bind_recipe(nb::module_& m) {
  nb::enum_<Preset>(m, "Preset")
      .value("words", Preset::kWords)
      .value("sklearn", Preset::kSklearn)
      .value("tweets", Preset::kTweets)
      .value("chars", Preset::kChars)
      .value("custom", Preset::kCustom)
      .value("text", Preset::kText);
  nb::class_<Recipe>(m, "Recipe")
      .def(
          "__init__",
          [](Recipe* self, Preset preset, std::pair<u32, u32> words, std::pair<u32, u32> chars,
             bool lowercase, bool binary, bool negation, u64 buckets,
             std::vector<std::string> stop_words, bool strip_accents, std::pair<u32, u32> unspaced,
             bool only_hangul) {
            const auto [lo, hi] = words;
            if (lo > hi || hi > kMostOrder || chars.first > chars.second || buckets >= kMostIds ||
                unspaced.first > unspaced.second || unspaced.second > kMostUnspaced ||
                !unspaced.first != !unspaced.second)
              throw std::invalid_argument("a recipe out of range");
            new (self)
                Recipe{preset,          lo,          hi,       chars.first,          chars.second,
                       lowercase,       binary,      negation, strip_accents,        unspaced.first,
                       unspaced.second, only_hangul, buckets,  std::move(stop_words)};
          },
          nb::kw_only(), "preset"_a, "words"_a, "chars"_a, "lowercase"_a, "binary"_a, "negation"_a,
          "buckets"_a, "stop_words"_a, "strip_accents"_a = false,
          "unspaced"_a = std::pair<u32, u32>(0, 0), "only_hangul"_a = false);
}

void bind_table(nb::module_& m) {
  nb::class_<Table>(m, "Table")
      .def_static(
          "from_arrays",
          [](const Recipe& recipe, In<u8> words, AnyArray word_offsets, AnyArray cell_offsets,
             AnyArray classes, AnyArray counts, In<u64> docs, unsigned shift, unsigned threads) {
            const StoredCounts stored{span(words),           numbers(word_offsets),
                                      numbers(cell_offsets), numbers(classes),
                                      numbers(counts),       shift};
            std::unique_ptr<Table> table;
            SeenNumbers seen;
            {
              const Unlocked unlocked;
              Loaded loaded = from_arrays(recipe, stored, span(docs), threads);
              table = std::make_unique<Table>(std::move(loaded.table));
              seen = loaded.seen;
            }
            return nb::make_tuple(nb::cast(std::move(table)), seen.bits, seen.most_count,
                                  seen.most_class);
          },
          "recipe"_a, "words"_a, "word_offsets"_a, "cell_offsets"_a, "classes"_a, "counts"_a,
          "docs"_a, "shift"_a = 0, "threads"_a = 1)
      .def("add", &add, "other"_a, "class_map"_a)
      .def("subtract", &subtract, "other"_a, "class_map"_a)
      .def("copy",
           [](const Table& own) {
             const Unlocked unlocked;
             const std::shared_lock reading(own.mutex);
             return std::make_unique<Table>(CountTable(own.table));
           })
      .def("names",
           [](const Table& own) {
             const std::shared_lock reading(own.mutex);
             auto names = own.table.vocabulary.names();
             return nb::make_tuple(give(std::move(names.bytes)), give(std::move(names.offsets)));
           })
      .def(
          "cells",
          [](const Table& own, std::optional<In<u32>> class_rank, unsigned threads) {
            const std::span<const u32> rank =
                class_rank ? span(*class_rank) : std::span<const u32>();
            Cells out;
            {
              const Unlocked unlocked;
              const std::shared_lock reading(own.mutex);
              if (class_rank && rank.size() != own.table.docs.size())
                throw std::invalid_argument("a class rank that does not fit");
              out = own.table.cells(rank, threads);
            }
            return give_cells(std::move(out));
          },
          "class_rank"_a = nb::none(), "threads"_a = 1)
      .def(
          "find",
          [](const Table& own, In<u8> names, In<u64> offsets) {
            const std::shared_lock reading(own.mutex);
            return give_cells(own.table.find(span(names), span(offsets)));
          },
          "names"_a, "offsets"_a)
      .def(
          "to_arrays",
          [](const Table& own, In<u32> class_rank, unsigned threads) {
            if (class_rank.size() != own.table.docs.size())
              throw std::invalid_argument("a class rank that does not fit");
            ModelArrays out;
            {
              const Unlocked unlocked;
              const std::shared_lock reading(own.mutex);
              out = to_arrays(own.table, span(class_rank), threads);
            }
            return nb::make_tuple(give(std::move(out.words)), give(std::move(out.word_offsets)),
                                  give(std::move(out.cells.offsets)),
                                  give(std::move(out.cells.classes)),
                                  give(std::move(out.cells.counts)), give(std::move(out.features)));
          },
          "class_rank"_a, "threads"_a = 1)
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
      // How many names there are, those without a count too.
      .def_prop_ro("size", [](const Table& own) { return own.table.vocabulary.size(); })
      // How many of names() are words: they come first.
      .def_prop_ro("words", [](const Table& own) { return own.table.vocabulary.size(kWords); })
      .def_prop_ro("features", [](const Table& own) {
        const std::shared_lock reading(own.mutex);
        return own.table.features();
      });
}

}  // namespace

void bind_tables(nb::module_& m) {
  m.attr("UNIT") = kUnit;
  bind_recipe(m);
  bind_table(m);
  nb::enum_<Fingerprint>(m, "Fingerprint")
      .value("first", Fingerprint::kFirst)
      .value("plain", Fingerprint::kPlain)
      .value("strong", Fingerprint::kStrong);
  m.def("count", &count_batch, "batch"_a, "classes"_a, "n_classes"_a, "units"_a, "recipe"_a,
        "threads"_a, "fingerprint"_a = Fingerprint::kFirst);
  m.def(
      "fingerprints",
      [](Batch& batch, Fingerprint kind, unsigned threads) {
        if (batch.texts.size() >= kNone) throw std::invalid_argument("more than 2^32 texts");
        if (!batch.prints || batch.prints_kind != kind) {
          std::shared_ptr<const std::vector<u64>> found;
          {
            const Unlocked unlocked;
            found =
                std::make_shared<std::vector<u64>>(fingerprints(batch.as_given(), kind, threads));
          }
          batch.prints = std::move(found);
          batch.prints_kind = kind;
        }
        return give(std::vector<u64>(*batch.prints));
      },
      "batch"_a, "kind"_a = Fingerprint::kFirst, "threads"_a = 1);
  // Gives memory back that was freed between blocks that are still in use.
  m.def("trim_memory", [] {
#if defined(__GLIBC__)
    const Unlocked unlocked;
    malloc_trim(0);
#endif
  });
  m.def(
      "row_fingerprints",
      [](nb::ndarray<const u64, nb::ndim<2>, nb::c_contig, nb::device::cpu> rows,
         Fingerprint kind) {
        std::vector<u64> out(rows.shape(0) * words_of(kind));
        {
          const Unlocked unlocked;
          const u8* const bytes = reinterpret_cast<const u8*>(rows.data());
          const size_t width = rows.shape(1) * sizeof(u64);
          std::vector<std::span<const u8>> inputs;
          Fingerprints own(kind);
          for (size_t begin = 0; begin < rows.shape(0); begin += inputs.size()) {
            inputs.clear();
            for (size_t i = begin; i < std::min(begin + 1024, rows.shape(0)); ++i)
              inputs.emplace_back(bytes + i * width, width);
            own.of_bytes(inputs, out.data() + begin * words_of(kind));
          }
        }
        return give(std::move(out));
      },
      "rows"_a, "kind"_a);
  m.def(
      "trace",
      [](const Batch& batch, const Recipe& recipe) {
        if (batch.texts.size() != 1) throw std::invalid_argument("one text, please");
        Traced traced = trace(batch.texts[0], recipe, batch.texts.stems.get());
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
}

}  // namespace nabi
