// Fuzz target: Gaussian scores, vectorised and on threads, equal those of the definition.
#include "numbers/gaussian.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "fuzz/fuzz.h"

using namespace nabi;

namespace {

constexpr double kMost = std::numeric_limits<double>::max();

// Mostly from -8 to 8; now and then NaN, 0 or any bits, infinity among them.
double any_number(fuzz::Input& given) {
  const u8 kind = given.byte();
  const u64 bits = given.number();
  if (kind < 8) return std::nan("");
  if (kind < 16) return 0.0;
  if (kind < 24) return std::bit_cast<double>(bits);
  return (double(bits >> 11) / double(u64{1} << 53) - 0.5) * 16;
}

struct Model {
  std::vector<double> mean, variance, log_prior;
};

// As the kernel is asked for it: sums in the order of the columns, NaN left out term by term.
double plain_joint(const Model& model, const std::vector<double>& x, size_t c) {
  double squares = 0, logs = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double m = model.mean[c * x.size() + i], v = model.variance[c * x.size() + i];
    if (std::isnan(x[i]) || std::isnan(m) || std::isnan(v)) continue;
    const double kept = std::min(std::max(v, std::numeric_limits<double>::min()), kMost);
    const double z = (x[i] - m) * (1 / std::sqrt(kept));
    squares += z * z;
    logs += -0.5 * (std::log(2 * std::numbers::pi) + std::log(kept));
  }
  return model.log_prior[c] + std::max(logs - 0.5 * squares, -kMost);
}

template <class T>
std::vector<T> scored(const Gaussians& g, const NumberTable<T>& x, Score what, unsigned threads) {
  std::vector<T> out(x.rows * g.classes());
  g.score(x, what, threads, out.data());
  return out;
}

template <class T>
void check_row(const Model& model, const std::vector<double>& x, const T* joint, const T* share) {
  const size_t n = model.log_prior.size();
  double whole = 0;
  for (size_t c = 0; c < n; ++c) {
    const double plain = plain_joint(model, x, c), most = std::numeric_limits<T>::max();
    CHECK(!std::isnan(joint[c]));
    CHECK(joint[c] == T(std::isinf(plain) ? plain : std::max(plain, -most)));
    CHECK(share[c] >= 0 && share[c] <= 1);
    whole += double(share[c]);
  }
  CHECK(std::abs(whole - 1) < 1e-5);
}

template <class T>
void check(fuzz::Input& given) {
  const size_t columns = 1 + given.below(9), n = 1 + given.below(9);
  const size_t rows = given.below(given.below(32) ? 9 : 1500);
  const bool by_row = given.flag();
  Model model;
  for (size_t i = 0; i < n * columns; ++i) {
    model.mean.push_back(any_number(given));
    model.variance.push_back(std::abs(any_number(given)));
  }
  for (size_t c = 0; c < n; ++c)
    model.log_prior.push_back(given.below(8) ? -double(given.below(9)) : std::log(0.0));
  std::vector<T> values(rows * columns);
  bool infinite = false;
  for (T& value : values) infinite |= std::isinf(value = T(any_number(given)));
  const NumberTable<T> x{values.data(), rows, columns, by_row ? columns : 1, by_row ? 1 : rows};
  const Gaussians g(model.mean, model.variance, model.log_prior);
  try {
    const std::vector<T> joint = scored(g, x, Score::kJoint, 1);
    CHECK(!infinite);
    CHECK(joint == scored(g, x, Score::kJoint, 3));
    const std::vector<T> share = scored(g, x, Score::kProbability, 2);
    for (size_t r = 0; r < rows; ++r) {
      std::vector<double> row;
      for (size_t c = 0; c < columns; ++c) row.push_back(double(x.at(r, c)));
      check_row(model, row, joint.data() + r * n, share.data() + r * n);
    }
  } catch (const std::invalid_argument&) {
    CHECK(infinite);
  }
}

void check_damaged(fuzz::Input& given) {
  const std::vector<double> mean(given.below(5)), variance(given.below(5)), prior(given.below(3));
  const double values[] = {1, 2};
  const bool fits =
      !prior.empty() && mean.size() == 2 * prior.size() && mean.size() == variance.size();
  try {
    scored(Gaussians(mean, variance, prior), NumberTable<double>{values, 1, 2, 2, 1}, Score::kJoint,
           1);
    CHECK(fits);
  } catch (const std::invalid_argument&) {
    CHECK(!fits);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input given(data, size);
  given.flag() ? check<double>(given) : check<float>(given);
  check_damaged(given);
  return 0;
}
