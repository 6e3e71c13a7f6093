// Python class CountedScorer: scores of one short text at a time, by the counts as they are.
#include "score/counted_scorer.h"

#include <shared_mutex>

#include "bindings/batch.h"
#include "bindings/table.h"

namespace nabi {
namespace {

Weights terms(const In<double>& bias, const In<double>& slope) {
  Weights weights;
  weights.bias = copy(bias);
  weights.slope = copy(slope);
  return weights;
}

struct CountedScorerHandle {
  CountedScorerHandle(const Table& t, Weights&& w, const In<u32>& order, double alpha)
      : table(t), scorer(t.table, std::move(w), span(order), alpha) {}
  const Table& table;
  CountedScorer scorer;

  // Under the interpreter's lock: to give it away and take it again would cost more than the text.
  Out<double> joint(nb::str text) const {
    const auto batch = Batch::from_sequence(nb::borrow<nb::sequence>(nb::make_tuple(text)));
    const size_t width = scorer.classes();
    auto* const out = new double[width];
    nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    const std::shared_lock reading(table.mutex);
    scorer.joint(batch->texts[0], out);
    return Out<double>(out, {width}, owner);
  }
};

}  // namespace

void bind_counted_scorer(nb::module_& m) {
  nb::class_<CountedScorerHandle>(m, "CountedScorer")
      .def(
          "__init__",
          [](CountedScorerHandle* self, const Table& table, In<double> bias, In<double> slope,
             In<u32> order, double alpha) {
            const std::shared_lock reading(table.mutex);
            new (self) CountedScorerHandle(table, terms(bias, slope), order, alpha);
          },
          nb::keep_alive<1, 2>(), "table"_a, nb::kw_only(), "bias"_a, "slope"_a, "order"_a,
          "alpha"_a)
      .def("joint", &CountedScorerHandle::joint, "text"_a);
}

}  // namespace nabi
