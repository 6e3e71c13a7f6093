// Linear models of documents as sets of features.
#include "../linear.h"

#include "batch.h"

namespace nabi {
namespace {

nb::tuple solve(const FeatureSets& sets, In<u64> places, const LinearWay& way, unsigned threads) {
  LinearWeights fitted;
  {
    nb::gil_scoped_release release;
    fitted = sets.solve(span(places), way, threads);
  }
  return nb::make_tuple(give(std::move(fitted.weights)), give(std::move(fitted.bias)),
                        give(std::move(fitted.scales)));
}

Out<double> left_out(const FeatureSets& sets, In<u64> places, In<u32> folds, const LinearWay& way,
                     unsigned threads) {
  const size_t n = places.size(), width = sets.columns();
  auto* const out = new double[std::max<size_t>(1, n * width)];
  nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  {
    nb::gil_scoped_release release;
    sets.left_out(span(places), span(folds), way, out, threads);
  }
  return Out<double>(out, {n, width}, owner);
}

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
             In<double> weights, double least) {
            new (self) FeatureSets(bags, copy(classes), n_classes, copy(weights), least);
          },
          "bags"_a, "classes"_a, "n_classes"_a, "weights"_a, "least"_a)
      .def("solve", &solve, "places"_a, "way"_a, "threads"_a)
      .def("left_out", &left_out, "places"_a, "folds"_a, "way"_a, "threads"_a);
}

}  // namespace nabi
