// Fuzz target: the best class by bounds is the first with the greatest score.
#include "score/bounds.h"

#include <cmath>
#include <limits>

#include "fuzz/fuzz.h"
#include "vocabulary/word_table.h"

using namespace nabi;

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// Numbers of one kind: whole ones, which tie often; any from 0 to 8 or from -8 to 8; some so large
// that rounding shows the order of a sum.
double any_number(fuzz::Input& given, u32 kind) {
  const double x = double(given.below(1 << 16)) / double(1 << 12);
  switch (kind) {
    case 0:
      return std::floor(x / 4);
    case 1:
      return x / 2;
    case 2:
      return x - 8;
    default:
      return given.below(8) ? x : (x - 8) * 1e15;
  }
}

double any_bias(fuzz::Input& given, u32 kind) {
  const u32 odd = kind == 3 ? given.below(64) : 64;
  return odd == 0   ? kNever
         : odd == 1 ? std::numeric_limits<double>::quiet_NaN()
         : odd == 2 ? (given.below(16) ? -1e300 : -kNever)
                    : any_number(given, kind) - 8;
}

Weights any_weights(fuzz::Input& given) {
  Weights w;
  const u32 kind = given.below(4), n_classes = 1 + given.below(given.flag() ? 8 : 400);
  const u32 features = 1 + given.below(20);
  const bool shared = given.flag();
  for (u32 c = 0; c < n_classes; ++c) {
    w.bias.push_back(any_bias(given, kind));
    w.slope.push_back(any_number(given, kind) - (given.below(32) ? 8 : 400));
  }
  std::vector<u32> classes(n_classes);
  for (u32 c = 0; c < n_classes; ++c) classes[c] = c;
  w.offsets.push_back(0);
  for (u32 f = 0; f < features; ++f) {
    w.known.push_back(given.below(8) != 0);
    if (shared) w.shared.push_back(any_number(given, kind));
    const u32 cells = given.below(given.flag() ? n_classes + 1 : std::min(n_classes, 12u));
    for (u32 i = 0; i < cells; ++i) {  // in any order
      std::swap(classes[i], classes[i + given.below(n_classes - i)]);
      w.classes.push_back(classes[i]);
      w.cells.push_back(any_number(given, kind));
    }
    w.offsets.push_back(w.classes.size());
  }
  return w;
}

std::vector<u32> any_features(fuzz::Input& given, const Weights& w) {
  std::vector<u32> out;
  for (u32 left = given.below(given.below(4) ? 12 : 600); left; --left) {
    const u32 f = given.below(u32(w.known.size()));
    if (w.known[f]) out.push_back(f);
  }
  return out;
}

double shared_of(const Weights& w, const std::vector<u32>& features) {
  double sum = 0;
  if (!w.shared.empty())
    for (const u32 f : features) sum += w.shared[f];
  return sum;
}

u32 plain_best(const Weights& w, const std::vector<u32>& features) {
  std::vector<double> sums(w.bias.size());
  for (const u32 f : features)
    for (u64 i = w.offsets[f]; i < w.offsets[f + 1]; ++i) sums[w.classes[i]] += w.cells[i];
  u32 best = kNone;
  double most = kNever;
  for (u32 c = 0; c < sums.size(); ++c) {
    const double base = w.bias[c] + double(features.size()) * w.slope[c];
    const double score = (base + shared_of(w, features)) + sums[c];
    if (score > most) most = score, best = c;
  }
  return best;
}

// Whether no number is so large that rounding matters.
bool moderate(const Weights& w) {
  const auto all = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::abs(x) < 1000; });
  };
  return all(w.bias) && all(w.slope) && all(w.shared) && all(w.cells);
}

// Weights with a number that is infinite, a class twice, or a class that may be impossible.
void check_refused(fuzz::Input& given, Weights w) {
  switch (given.below(3)) {
    case 0:
      w.slope[given.below(u32(w.slope.size()))] = kNever;
      break;
    case 1:
      w.hard_bias.resize(w.bias.size());
      break;
    default:
      if (w.classes.size() < 2 || w.offsets[1] < 2) return;
      w.classes[1] = w.classes[0];
  }
  CHECK(!Bounds::of(w));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input given(data, size);
  const Weights w = any_weights(given);
  const std::unique_ptr<const Bounds> bounds = Bounds::of(w);
  CHECK(bounds);
  const Bounds::Base base = bounds->base(w.bias);
  Bounds::Search here(*bounds, base), plain(*bounds, base, BoundRows::plain());
  for (int text = 0; text < 4; ++text) {
    const std::vector<u32> features = any_features(given, w);
    for (const u32 f : features) CHECK(bounds->known(f));
    const u32 expected = plain_best(w, features);
    u32 found, again;
    const bool sure = here.best(features, shared_of(w, features), &found);
    CHECK(plain.best(features, shared_of(w, features), &again) == sure);
    if (sure) CHECK(found == expected && again == expected);
    if (w.bias.size() <= 4 && moderate(w)) CHECK(sure);  // there is time to score four
  }
  check_refused(given, w);
  return 0;
}
