// Fuzz target: held-out scores equal those of counting all other documents again.
#include "held_out/held_out.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "fuzz/tables.h"
#include "vocabulary/trace.h"

using namespace nabi;

namespace {

struct Documents {
  Texts texts;
  std::vector<u32> classes, groups;
  std::vector<u64> units;  // empty: 1 each
  u32 n_classes;

  Documents without(u32 group) const {
    Documents out{{}, {}, {}, {}, n_classes};
    for (size_t i = 0; i < texts.size(); ++i)
      if (groups[i] != group) {
        out.texts.push_back(texts[i]);
        out.classes.push_back(classes[i]);
        if (!units.empty()) out.units.push_back(units[i]);
      }
    return out;
  }
  bool leaves_nothing() const {
    return std::any_of(groups.begin(), groups.end(), [&](u32 group) {
      const Documents rest = without(group);
      return rest.units.empty() ? rest.texts.empty() || !units.empty()
                                : std::all_of(rest.units.begin(), rest.units.end(),
                                              [](u64 each) { return each == 0; });
    });
  }
  CountTable counted(const Recipe& recipe) const {
    return count(texts, classes, n_classes, units, recipe, 1).table;
  }
};

double as_count(u64 units) { return double(units) / double(kUnit); }

// log P(d|c) by the definition.
double plain_score(const CountTable& table, const Weighing& w, const Text& text, u32 cls) {
  const Cells cells = table.cells();
  const size_t features = table.vocabulary.size();
  std::vector<u64> totals(features), own(features), tokens(table.docs.size());
  u64 known = 0, all = 0;
  for (size_t f = 0; f < features; ++f) {
    for (u64 i = cells.offsets[f]; i < cells.offsets[f + 1]; ++i) totals[f] += cells.counts[i];
    if (totals[f] < w.least) continue;
    ++known;
    for (u64 i = cells.offsets[f]; i < cells.offsets[f + 1]; ++i) {
      tokens[cells.classes[i]] += cells.counts[i];
      all += cells.counts[i];
      if (cells.classes[i] == cls) own[f] = cells.counts[i];
    }
  }
  const double alpha = w.alphas[0], docs = as_count(table.docs[cls]);
  std::vector<u32> times(features);
  const Traced traced = trace(text, table.vocabulary.recipe);
  const Vocabulary::Names names = traced.vocabulary.names();
  for (const u32 feature : traced.features) {
    const Vocabulary::FeatureId id = table.vocabulary.find(fuzz::name_at(names, feature));
    if (id.id == kNone) continue;
    size_t f = id.id;
    for (int s = 0; s < id.space; ++s) f += table.vocabulary.size(Space(s));
    times[f] = table.vocabulary.recipe.binary ? 1 : times[f] + 1;
  }
  double score = 0;
  for (size_t f = 0; f < features; ++f) {
    if (totals[f] < w.least) continue;
    if (w.event == Event::kBernoulli) {
      const double p = (as_count(own[f]) + alpha) / (docs + 2 * alpha);
      const double q = (docs - as_count(own[f]) + alpha) / (docs + 2 * alpha);
      score += std::log(times[f] ? p : q);
    } else if (w.event == Event::kMultinomial) {
      const double below = as_count(tokens[cls]) + alpha * double(known);
      score += times[f] * std::log((as_count(own[f]) + alpha) / below);
    } else {
      const double below = as_count(all - tokens[cls]) + alpha * double(known);
      score -= times[f] * std::log((as_count(totals[f] - own[f]) + alpha) / below);
    }
  }
  return score;
}

// n times the log loss of one of n, by the others.
double log_loss(double n, double of, double outcomes, double alpha) {
  const double part = std::max(n - 1, 0.0) + alpha,
               whole = std::max(of - 1, 0.0) + outcomes * alpha;
  return n > 0 ? n * (std::log(whole) - std::log(part)) : 0;
}

// Leave-one-out log loss of the counts, by the definition.
double plain_loss(const CountTable& table, const Weighing& w, double alpha) {
  const Cells cells = table.cells();
  const size_t width = table.docs.size();
  std::vector<std::vector<double>> known;
  std::vector<double> tokens(width);
  for (size_t f = 0; f < table.vocabulary.size(); ++f) {
    std::vector<double> row(width);
    double total = 0;
    for (u64 i = cells.offsets[f]; i < cells.offsets[f + 1]; ++i)
      total += row[cells.classes[i]] = as_count(cells.counts[i]);
    if (total < as_count(w.least)) continue;
    for (size_t c = 0; c < width; ++c) tokens[c] += row[c];
    known.push_back(std::move(row));
  }
  const double all = std::accumulate(tokens.begin(), tokens.end(), 0.0), v = double(known.size());
  double loss = 0;
  for (const std::vector<double>& row : known)
    for (size_t c = 0; c < width; ++c) {
      const double docs = as_count(table.docs[c]), n = row[c];
      const double total = std::accumulate(row.begin(), row.end(), 0.0);
      if (docs == 0) continue;
      if (w.event == Event::kBernoulli)
        loss += log_loss(n, docs, 2, alpha) + log_loss(docs - n, docs, 2, alpha);
      else if (w.event == Event::kMultinomial)
        loss += log_loss(n, tokens[c], v, alpha);
      else
        loss += log_loss(total - n, all - tokens[c], v, alpha);
    }
  return loss;
}

bool same(const Bags& a, const Bags& b) {
  bool is_same = a.size() == b.size();
  for (size_t i = 0; is_same && i < a.size(); ++i)
    is_same = std::equal(
        a[i].begin(), a[i].end(), b[i].begin(), b[i].end(),
        [](const Times& x, const Times& y) { return x.feature == y.feature && x.n == y.n; });
  return is_same;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-6 * (1 + std::abs(b)); }

// Of one smoothing, by the definition.
void check_losses(const Losses& found, const std::vector<double>& joint,
                  const std::vector<u32>& classes) {
  const size_t n = classes.size(), width = n ? joint.size() / n : 0;
  double loss = 0;
  u64 right = 0;
  for (size_t i = 0; i < n; ++i) {
    const double* const row = joint.data() + i * width;
    const double* const best = std::max_element(row, row + width);
    double all = 0;
    for (size_t c = 0; c < width; ++c) all += std::exp(row[c] - *best);
    loss += std::log(all) + *best - row[classes[i]];
    right += size_t(best - row) == classes[i];
  }
  CHECK(found.right[0] == right);
  if (n) CHECK(std::isinf(loss) ? std::isinf(found.means[0]) : near(found.means[0] * n, loss));
}

// One smoothing for each group: the one that suits what is left best, and the scores with it.
void check_chosen(const CountTable& table, Weighing weighing, const Learned& learned,
                  const Prior& prior, const Documents& docs) {
  weighing.alphas = {1, 0.5, 0.125, 0.03125, 0.0009765625};
  const HeldOut held_out(table, weighing, fuzz::identity(docs.n_classes));
  const size_t n = docs.texts.size(), width = docs.n_classes;
  std::vector<double> one(n * width), several(n * width), lengths(n), same_lengths(n);
  std::vector<u32> chosen(n), same_chosen(n);
  held_out.score_chosen(learned, prior, 1, one.data(), lengths.data(), chosen.data());
  held_out.score_chosen(learned, prior, 3, several.data(), same_lengths.data(), same_chosen.data());
  CHECK(one == several && lengths == same_lengths && chosen == same_chosen);
  std::vector<double> every(n * width * held_out.alphas());
  held_out.score(learned, prior, 2, every.data(), same_lengths.data());
  CHECK(lengths == same_lengths);
  for (size_t i = 0; i < n; ++i)
    for (size_t c = 0; c < width; ++c) {
      const double wanted = every[(i * held_out.alphas() + chosen[i]) * width + c];
      CHECK(std::isinf(wanted) ? one[i * width + c] == wanted : near(one[i * width + c], wanted));
    }
  weighing.least = std::max<u64>(1, weighing.least);
  for (size_t i = 0; i < n && i < 4; ++i) {
    const CountTable rest = docs.without(docs.groups[i]).counted(table.vocabulary.recipe);
    const double loss = plain_loss(rest, weighing, weighing.alphas[chosen[i]]);
    for (size_t a = 0; a < weighing.alphas.size(); ++a) {
      const double other = plain_loss(rest, weighing, weighing.alphas[a]);
      CHECK(loss <= other || near(loss, other));
      CHECK(a >= chosen[i] || other > loss);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input given(data, size);
  Recipe recipe = fuzz::any_recipe(given);
  const Event event = Event(given.below(3));
  if (event == Event::kBernoulli) recipe.binary = true;
  Documents docs;
  docs.n_classes = 1 + given.below(4);
  const Weighing weighing{event, given.below(3) * kUnit, {given.flag() ? 1.0 : 0.03125}};
  const bool weighted = given.flag();
  const u32 n_groups = 1 + given.below(6);
  const fuzz::AnyTexts any(given, recipe);
  for (const Text& text : any.texts) {
    docs.texts.push_back(text);
    docs.classes.push_back(given.below(docs.n_classes));
    docs.groups.push_back(given.below(n_groups));
    if (weighted) docs.units.push_back(given.below(3) * (kUnit / 2));
  }
  Bags kept;
  const CountTable table = count_and_keep(docs.texts, docs.classes, docs.n_classes, docs.units,
                                          recipe, 1 + given.below(3), kept)
                               .table;
  CHECK(same(kept, read_bags(docs.texts, table.vocabulary, 2)));
  const HeldOut held_out(table, weighing, fuzz::identity(docs.n_classes));
  const Prior prior{std::vector<double>(docs.n_classes, 1.0), false};
  const Learned learned{kept, docs.classes, docs.units, docs.groups};
  const size_t n = docs.texts.size(), width = docs.n_classes;
  std::vector<double> one(n * width), several(n * width), lengths(n), same_lengths(n);
  try {
    held_out.score(learned, prior, 1, one.data(), lengths.data());
  } catch (const std::invalid_argument&) {
    CHECK(docs.leaves_nothing());
    return 0;
  }
  held_out.score(learned, prior, 3, several.data(), same_lengths.data());
  CHECK(one == several && lengths == same_lengths);
  check_losses(held_out.losses(learned, prior, 3), one, docs.classes);
  check_chosen(table, weighing, learned, prior, docs);

  // Several smoothings give what each gives alone.
  Weighing many = weighing;
  many.alphas = {0.5, weighing.alphas[0], 2.0};
  std::vector<double> together(3 * n * width);
  HeldOut(table, many, fuzz::identity(width))
      .score(learned, prior, 2, together.data(), same_lengths.data());
  for (size_t i = 0; i < n * width; ++i) {
    const double score = together[(i / width * 3 + 1) * width + i % width];
    CHECK(score == one[i] || near(score, one[i]));
  }

  Weighing plain = weighing;
  plain.least = std::max<u64>(1, plain.least);
  for (size_t i = 0; i < n && i < 4; ++i) {
    const CountTable rest = docs.without(docs.groups[i]).counted(recipe);
    for (u32 c = 0; c < width; ++c)
      if (rest.docs[c])
        CHECK(near(one[i * width + c], plain_score(rest, plain, docs.texts[i], c)));
      else
        CHECK(std::isinf(one[i * width + c]));
  }

  // Documents of another class than they were learned with: refused, or scored somehow.
  for (u32& c : docs.classes) c = given.below(docs.n_classes);
  try {
    const Learned wrong{kept, docs.classes, docs.units, docs.groups};
    held_out.score(wrong, prior, 2, several.data(), lengths.data());
    Weighing two = weighing;
    two.alphas.push_back(0.5);
    std::vector<u32> chosen(n);
    HeldOut(table, two, fuzz::identity(docs.n_classes))
        .score_chosen(wrong, prior, 2, several.data(), lengths.data(), chosen.data());
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
