// Python class Scorer: scores of texts by naive Bayes weights.
#include <cmath>
#include <mutex>

#include "bindings/batch.h"
#include "bindings/table.h"
#include "score/scorer.h"

namespace nabi {
namespace {

struct ScorerHandle {
  ScorerHandle(const Table& t, Weights&& w) : table(t), scorer(t.table.vocabulary, std::move(w)) {}
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
  std::vector<double> out(x.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = function(x.data()[i]);
  return give(std::move(out));
}

}  // namespace

void bind_scorers(nb::module_& m) {
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
  m.def("log", &each_number<std::log>, "x"_a);
  m.def("log1p", &each_number<std::log1p>, "x"_a);
}

}  // namespace nabi
