// Fuzz target: linear models have finite weights, equal on any number of threads, and the scorer's
// scores are those of the weights.
#include <cmath>

#include "fuzz/tables.h"
#include "linear/feature_sets.h"
#include "linear/linear_scorer.h"

namespace {

using namespace nabi;

bool finite(const LinearWeights& fitted) {
  const auto is_finite = [](auto x) { return std::isfinite(x); };
  return std::all_of(fitted.weights.begin(), fitted.weights.end(), is_finite) &&
         std::all_of(fitted.bias.begin(), fitted.bias.end(), is_finite);
}

// w.x + b of a document's bag, one term after another.
double plain_score(std::span<const Times> bag, const LinearWeights& fitted, size_t column,
                   const LinearWay& way, bool logs) {
  const size_t columns = fitted.bias.size();
  double sum = 0, length = 0;
  for (const Times& times : bag) {
    const double x = counts_as(times.n, logs), scaled = x * fitted.scales[times.feature];
    sum += x * fitted.weights[times.feature * columns + column];
    length += scaled * scaled;
  }
  return (way.normalised && length > 0 ? sum / std::sqrt(length) : sum) + fitted.bias[column];
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-4 * (1 + std::abs(a)); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input given(data, size);
  const Recipe recipe = fuzz::any_recipe(given);
  const u32 n_classes = 2 + given.below(10);
  const LinearWay way{
      Loss(given.below(2)),      Scale(given.below(3)), given.flag() ? 1.0 : 0.01, 1.0,
      given.flag() ? 1.0 : 0.25, given.flag(),          double(given.below(3))};
  const bool weighted = given.flag(), logs = !recipe.binary;
  const fuzz::AnyTexts any(given, recipe);
  Texts texts;
  std::vector<u32> classes, folds;
  std::vector<double> weights;
  std::vector<u64> indices;
  for (const Text& text : any.texts) {
    texts.push_back(text);
    indices.push_back(indices.size());
    classes.push_back(given.below(n_classes));
    folds.push_back(given.below(4) ? given.below(3) : kNone);
    if (weighted) weights.push_back(given.below(3) / 2.0);
  }
  Bags bags;
  const CountTable table =
      count_and_keep(texts, classes, n_classes, {}, recipe, 1 + given.below(3), bags).table;
  std::vector<double> class_costs;
  if (given.flag())
    for (u32 c = 0; c < n_classes; ++c) class_costs.push_back(0.5 + c);
  const FeatureSets sets(bags, classes, n_classes, weights, class_costs, way.least, logs);
  const LinearWeights one = sets.solve(indices, way, 1), several = sets.solve(indices, way, 3);
  CHECK(one.weights == several.weights && one.bias == several.bias && finite(one));

  const size_t columns = sets.columns();
  const LinearTerms terms{one.weights, one.scales, one.bias, way.normalised, logs};
  const LinearScorer scorer(table.vocabulary, terms);
  std::vector<double> alone(texts.size() * columns), together(alone.size());
  scorer.score(texts, 1, alone.data());
  scorer.score(texts, 3, together.data());
  CHECK(alone == together);
  for (size_t i = 0; i < texts.size(); ++i)
    for (size_t c = 0; c < columns; ++c)
      CHECK(near(alone[i * columns + c], plain_score(bags[i], one, c, way, logs)));

  try {
    sets.left_out(indices, folds, way, alone.data(), 1);
    sets.left_out(indices, folds, way, together.data(), 3);
    CHECK(alone == together);
  } catch (const std::invalid_argument&) {
    CHECK(indices.size() < 3);
  }
  // What does not fit is refused.
  for (u64& index : indices) index += texts.size();
  bool refused = indices.empty();
  try {
    sets.solve(indices, way, 1);
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
  return 0;
}
