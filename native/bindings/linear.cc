// Python classes FeatureSets and LinearScorer: fitting linear models, and scoring with them.
#include <mutex>

#include "bindings/batch.h"
#include "bindings/table.h"
#include "linear/feature_sets.h"
#include "linear/linear_scorer.h"

namespace nabi {
namespace {

nb::tuple solve(const FeatureSets& sets, In<u64> indices, const LinearWay& way, unsigned threads) {
  LinearWeights fitted;
  {
    const Unlocked unlocked;
    fitted = sets.solve(span(indices), way, threads);
  }
  return nb::make_tuple(give(std::move(fitted.weights)), give(std::move(fitted.bias)),
                        give(std::move(fitted.scales)));
}

Out<double> left_out(const FeatureSets& sets, In<u64> indices, In<u32> folds, const LinearWay& way,
                     unsigned threads) {
  const size_t n = indices.size(), width = sets.columns();
  auto* const out = new double[std::max<size_t>(1, n * width)];
  nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  {
    const Unlocked unlocked;
    sets.left_out(span(indices), span(folds), way, out, threads);
  }
  return Out<double>(out, {n, width}, owner);
}

struct LinearScorerHandle {
  LinearScorerHandle(const Table& t, LinearTerms&& terms)
      : table(t), scorer(t.table.vocabulary, std::move(terms)) {}
  const Table& table;
  LinearScorer scorer;

  nb::tuple score(const Batch& batch, unsigned threads) const {
    const size_t n = batch.texts.size(), width = scorer.columns();
    Seen seen{};
    auto* const out = new double[std::max<size_t>(1, n * width)];
    nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    {
      const Unlocked unlocked;
      const std::shared_lock reading(table.mutex);
      seen = scorer.score(batch.texts, threads, out);
    }
    return nb::make_tuple(Out<double>(out, {n, width}, owner), seen.missing, seen.repaired);
  }
};

}  // namespace

void bind_linear(nb::module_& m) {
  nb::enum_<Loss>(m, "Loss")
      .value("squared_hinge", Loss::kSquaredHinge)
      .value("logistic", Loss::kLogistic);
  nb::enum_<Scale>(m, "Scale")
      .value("one", Scale::kOne)
      .value("idf", Scale::kIdf)
      .value("ratio", Scale::kRatio);
  nb::class_<LinearWay>(m, "LinearWay")
      .def(
          "__init__",
          [](LinearWay* self, Loss loss, Scale scale, double cost, double alpha, double own,
             bool normalised, double least) {
            new (self) LinearWay{loss, scale, cost, alpha, own, normalised, least};
          },
          nb::kw_only(), "loss"_a, "scale"_a, "cost"_a, "alpha"_a, "own"_a, "normalised"_a,
          "least"_a);
  nb::class_<FeatureSets>(m, "FeatureSets")
      .def(
          "__init__",
          [](FeatureSets* self, const Bags& bags, In<u32> classes, u32 n_classes,
             In<double> weights, In<double> class_costs, double least, bool logs) {
            new (self) FeatureSets(bags, copy(classes), n_classes, copy(weights), copy(class_costs),
                                   least, logs);
          },
          "bags"_a, "classes"_a, "n_classes"_a, "weights"_a, "class_costs"_a, "least"_a, "logs"_a)
      .def("solve", &solve, "places"_a, "way"_a, "threads"_a)
      .def("left_out", &left_out, "places"_a, "folds"_a, "way"_a, "threads"_a);
  nb::class_<LinearScorerHandle>(m, "LinearScorer")
      .def(
          "__init__",
          [](LinearScorerHandle* self, const Table& table, In<float> weights, In<float> scales,
             In<double> bias, bool normalised, bool logs) {
            const std::shared_lock reading(table.mutex);
            new (self) LinearScorerHandle(
                table, LinearTerms{copy(weights), copy(scales), copy(bias), normalised, logs});
          },
          nb::keep_alive<1, 2>(), "table"_a, nb::kw_only(), "weights"_a, "scales"_a, "bias"_a,
          "normalised"_a, "logs"_a)
      .def("score", &LinearScorerHandle::score, "batch"_a, "threads"_a);
}

}  // namespace nabi
