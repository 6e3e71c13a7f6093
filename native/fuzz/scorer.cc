// Fuzz target: scores of the kernel equal those of the definition.
#include "score/scorer.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "fuzz/tables.h"
#include "vocabulary/trace.h"

using namespace nabi;

namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

// A number from -8 to 8; now and then 0, or one so large that rounding shows the order of a sum.
double any_weight(fuzz::Input& given) {
  const u8 kind = given.byte();
  const double x = (double(given.number() >> 11) / double(u64{1} << 53) - 0.5) * 16;
  return kind < 16 ? 0.0 : kind < 24 ? x * 1e15 : x;
}

Weights any_weights(fuzz::Input& given, const CountTable& table, bool hard) {
  Weights w;
  const Cells cells = table.cells();
  const size_t n_classes = table.docs.size(), features = table.vocabulary.size();
  const bool shared = given.flag();
  for (size_t c = 0; c < n_classes; ++c) {
    w.bias.push_back(any_weight(given));
    w.slope.push_back(any_weight(given));
    if (hard) w.hard_bias.push_back(given.below(4) == 0);
  }
  for (size_t f = 0; f < features; ++f) {
    w.known.push_back(given.below(8) != 0);
    if (shared) w.shared.push_back(any_weight(given));
    if (hard) w.hard_shared.push_back(given.below(8) == 0);
  }
  w.offsets.assign(cells.offsets.begin(), cells.offsets.end());
  w.classes.assign(cells.classes.begin(), cells.classes.end());
  for (size_t i = 0; i < cells.classes.size(); ++i) {
    w.cells.push_back(any_weight(given));
    if (hard) w.hard_cells.push_back(int8_t(int(given.below(3)) - 1));
  }
  return w;
}

// The features of a text that the weights know, in the order of the text.
std::vector<size_t> known_features(const CountTable& table, const Weights& w, const Text& text) {
  const Vocabulary& vocabulary = table.vocabulary;
  const Traced traced = trace(text, vocabulary.recipe);
  const Vocabulary::Names names = traced.vocabulary.names();
  std::vector<size_t> out;
  std::vector<u8> seen(w.known.size());
  for (const u32 feature : traced.features) {
    const Vocabulary::FeatureId id = vocabulary.find(fuzz::name_at(names, feature));
    if (id.id == kNone) continue;
    size_t f = id.id;
    for (int s = 0; s < id.space; ++s) f += vocabulary.size(Space(s));
    if (!w.known[f] || (vocabulary.recipe.binary && seen[f])) continue;
    seen[f] = 1;
    out.push_back(f);
  }
  return out;
}

double plain_score(const Weights& w, const std::vector<size_t>& features, size_t c, double prior) {
  double n = 0, shared = 0, sum = 0;
  int64_t hard = w.hard_bias.empty() ? 0 : w.hard_bias[c];
  for (const size_t f : features) {
    n += 1;
    if (!w.shared.empty()) shared += w.shared[f];
    if (!w.hard_shared.empty()) hard += w.hard_shared[f];
    for (u64 i = w.offsets[f]; i < w.offsets[f + 1]; ++i) {
      if (w.classes[i] != c) continue;
      sum += w.cells[i];
      if (!w.hard_cells.empty()) hard += w.hard_cells[i];
    }
  }
  return hard > 0 ? kImpossible : ((w.bias[c] + prior) + n * w.slope[c] + shared) + sum;
}

// The scores of all texts, then their lengths.
std::vector<double> joint(const Scorer& scorer, const Texts& texts,
                          const std::vector<double>& prior, unsigned threads) {
  std::vector<double> out(texts.size() * scorer.classes(), -1);
  std::vector<double> lengths(texts.size());
  scorer.joint(texts, prior, threads, out.data(), lengths.data());
  out.insert(out.end(), lengths.begin(), lengths.end());  // compared with the scores
  return out;
}

void check_best(const Scorer& scorer, const Texts& texts, const std::vector<double>& prior,
                const std::vector<double>& scores, unsigned threads) {
  std::vector<u32> best(texts.size());
  scorer.best(texts, prior, threads, best.data());
  const size_t n_classes = scorer.classes();
  for (size_t i = 0; i < texts.size(); ++i) {
    const double* const row = scores.data() + i * n_classes;
    const double* const most = std::max_element(row, row + n_classes);
    CHECK(best[i] == (*most == kImpossible ? kNone : u32(most - row)));
  }
}

// All impossible counts at zero: the scorer then takes its other way, and must score the same.
Weights sparse(Weights w) {
  w.hard_bias.assign(w.bias.size(), 0);
  w.hard_shared.assign(w.known.size(), 0);
  w.hard_cells.assign(w.cells.size(), 0);
  return w;
}

// Weights that do not fit are refused; those that pass are safe to score with.
void check_damaged(fuzz::Input& given, const CountTable& table, Weights w, const Texts& texts,
                   const std::vector<double>& prior) {
  const auto damage = [&](auto& values) {
    if (values.empty() || given.flag())
      values.resize(values.size() + 1);
    else if (given.flag())
      values.pop_back();
    else
      values[given.below(u32(values.size()))] =
          std::remove_reference_t<decltype(values[0])>(given.number());
  };
  switch (given.below(5)) {
    case 0:
      damage(w.offsets);
      break;
    case 1:
      damage(w.classes);
      break;
    case 2:
      damage(w.known);
      break;
    case 3:
      damage(w.hard_shared);
      break;
    default:
      damage(w.slope);
  }
  try {
    const Scorer scorer(table.vocabulary, std::move(w));
    joint(scorer, texts, prior, 1);
  } catch (const std::invalid_argument&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input given(data, size);
  const Recipe recipe = fuzz::any_recipe(given);
  const bool hard = given.flag();
  const u32 n_classes = 1 + given.below(6), threads = 2 + given.below(2);
  const fuzz::AnyTexts any(given, recipe);
  // Learned from the first half, scored on all: some features are unknown.
  const Texts learned(any.texts.begin(), any.texts.begin() + ptrdiff_t(any.texts.size() + 1) / 2);
  std::vector<u32> classes;
  for (size_t i = 0; i < learned.size(); ++i) classes.push_back(given.below(n_classes));
  const CountTable table = count(learned, classes, n_classes, {}, recipe, 1).table;
  Texts texts = any.texts;
  texts.insert(texts.begin() + given.below(u32(texts.size())), fuzz::AnyTexts::large(false));

  const Weights w = any_weights(given, table, hard);
  std::vector<double> prior;
  for (u32 c = 0; c < n_classes; ++c) prior.push_back(any_weight(given));
  const Scorer scorer(table.vocabulary, w);
  const std::vector<double> scores = joint(scorer, texts, prior, 1);
  CHECK(joint(scorer, texts, prior, threads) == scores);
  check_best(scorer, texts, prior, scores, threads);
  if (!hard) CHECK(joint(Scorer(table.vocabulary, sparse(w)), texts, prior, 1) == scores);
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::vector<size_t> features = known_features(table, w, texts[i]);
    CHECK(scores[texts.size() * n_classes + i] == double(features.size()));
    for (u32 c = 0; c < n_classes; ++c)
      CHECK(scores[i * n_classes + c] == plain_score(w, features, c, prior[c]));
  }
  check_damaged(given, table, w, texts, prior);
  return 0;
}
