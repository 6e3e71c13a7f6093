// Python class Scorer: scores of texts by naive Bayes weights.
#include <bit>
#include <cmath>
#include <mutex>

#include "bindings/batch.h"
#include "bindings/table.h"
#include "score/scorer.h"

namespace nabi {
namespace {

struct ScorerHandle {
  ScorerHandle(const Table& t, const WeightSpans& w, unsigned threads)
      : table(t), scorer(t.table.vocabulary, w, threads) {}
  const Table& table;
  Scorer scorer;

  nb::tuple joint(const Batch& batch, In<double> prior, unsigned threads) const {
    const size_t n = batch.texts.size(), width = scorer.classes();
    Seen seen{};
    std::vector<double> lengths(n);
    auto* const out = new double[std::max<size_t>(1, n * width)];
    nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    {
      const Unlocked unlocked;
      const std::shared_lock reading(table.mutex);
      seen = scorer.joint(batch.texts, span(prior), threads, out, lengths.data());
    }
    return nb::make_tuple(Out<double>(out, {n, width}, owner), give(std::move(lengths)),
                          seen.missing, seen.repaired);
  }

  nb::tuple best(const Batch& batch, In<double> prior, unsigned threads) const {
    Seen seen{};
    std::vector<u32> out(batch.texts.size());
    {
      const Unlocked unlocked;
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
  struct Kept {
    double x, value;
  };
  // Counts are often small and the same: results are kept by the bits of their number.
  constexpr size_t kKept = 1024, kMany = 4 * kKept;
  std::vector<Kept> kept;
  if (x.size() >= kMany) kept.assign(kKept, {1.0, function(1.0)});
  std::vector<double> out(x.size());
  for (size_t i = 0; i < out.size(); ++i) {
    const double given = x.data()[i];
    if (kept.empty()) {
      out[i] = function(given);
      continue;
    }
    const u64 bits = std::bit_cast<u64>(given);
    Kept& known = kept[bits * kHash3 >> 54];
    if (std::bit_cast<u64>(known.x) != bits) known = {given, function(given)};
    out[i] = known.value;
  }
  return give(std::move(out));
}

}  // namespace

void bind_scorers(nb::module_& m) {
  nb::class_<ScorerHandle>(m, "Scorer")
      .def(
          "__init__",
          [](ScorerHandle* self, const Table& table, In<double> bias, In<double> slope,
             In<u8> known, In<double> shared, In<u64> offsets, In<u32> classes, In<double> cells,
             In<int64_t> hard_bias, In<u8> hard_shared, In<int8_t> hard_cells, unsigned threads) {
            WeightSpans weights;
            weights.bias = span(bias), weights.slope = span(slope), weights.known = span(known);
            weights.shared = span(shared), weights.offsets = span(offsets);
            weights.classes = span(classes), weights.cells = span(cells);
            weights.hard_bias = span(hard_bias), weights.hard_shared = span(hard_shared);
            weights.hard_cells = span(hard_cells);
            const Unlocked unlocked;
            const std::shared_lock reading(table.mutex);
            new (self) ScorerHandle(table, weights, threads);
          },
          nb::keep_alive<1, 2>(), "table"_a, nb::kw_only(), "bias"_a, "slope"_a, "known"_a,
          "shared"_a, "offsets"_a, "classes"_a, "cells"_a, "hard_bias"_a, "hard_shared"_a,
          "hard_cells"_a, "threads"_a = 1)
      .def("joint", &ScorerHandle::joint, "batch"_a, "prior"_a, "threads"_a)
      .def("best", &ScorerHandle::best, "batch"_a, "prior"_a, "threads"_a);
  m.def("log", &each_number<std::log>, "x"_a);
  m.def("log1p", &each_number<std::log1p>, "x"_a);
}

}  // namespace nabi
