// Gaussian scores in blocks of rows; missing values left out.
#include "numbers/gaussian.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "platform/threads.h"

namespace nabi {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMost = std::numeric_limits<double>::max();
constexpr double kLeast = std::numeric_limits<double>::min();
constexpr size_t kBlockScores = 4096;  // of some rows, in the nearest cache
constexpr size_t kTermsPerThread = 1 << 16;

#include "numbers/gaussian_squares.inc"

// Scores as log probabilities, or as probabilities.
void normalise(double* scores, size_t n, Score what) {
  const double top = *std::max_element(scores, scores + n);
  // Equal scores need no subtraction, which would be NaN for infinite ones.
  const auto below_top = [&](double score) { return score == top ? 0.0 : score - top; };
  double whole = 0;
  for (size_t c = 0; c < n; ++c) {
    const double log = below_top(scores[c]), share = log == 0 ? 1.0 : std::exp(log);
    whole += share;
    scores[c] = what == Score::kProbability ? share : log;
  }
  const double log_whole = std::log(whole);
  for (size_t c = 0; c < n; ++c)
    scores[c] = what == Score::kProbability ? scores[c] / whole : scores[c] - log_whole;
}

// A score as a T: what is finite stays finite.
template <class T>
T rounded(double score) {
  constexpr double most = std::numeric_limits<T>::max();
  return std::isinf(score) ? T(score) : T(std::clamp(score, -most, most));
}

}  // namespace

#if defined(__x86_64__)
void standard_squares_avx2(const NumberTable<float>& x, const Gaussians& g, size_t begin,
                           size_t end, double* out);
void standard_squares_avx2(const NumberTable<double>& x, const Gaussians& g, size_t begin,
                           size_t end, double* out);
#endif

template <class T>
void standard_squares(const NumberTable<T>& x, const Gaussians& g, size_t begin, size_t end,
                      double* out) {
#if defined(__x86_64__)
  static const bool avx2 = __builtin_cpu_supports("avx2");
  if (avx2) return standard_squares_avx2(x, g, begin, end, out);
#endif
  squares_of(x, g, begin, end, out);
}

Gaussians::Gaussians(std::span<const double> mean, std::span<const double> variance,
                     std::span<const double> log_prior)
    : columns_(log_prior.empty() ? 0 : mean.size() / log_prior.size()),
      log_prior_(log_prior.begin(), log_prior.end()),
      log_sums_(log_prior.size()) {
  if (mean.size() != variance.size() || mean.size() != columns_ * classes())
    throw std::invalid_argument("expected a mean and a variance for each class and column");
  means.resize(padded() * columns_);
  scales.resize(padded() * columns_);
  logs_.resize(padded() * columns_);
  for (size_t c = 0; c < classes(); ++c) {
    for (size_t i = 0; i < columns_; ++i) {
      const double m = mean[c * columns_ + i], v = variance[c * columns_ + i];
      if (std::isnan(m) || std::isnan(v)) continue;
      const double kept = std::clamp(v, kLeast, kMost);
      means[index(c, i)] = m;
      scales[index(c, i)] = 1 / std::sqrt(kept);
      // The logarithm of a product would be infinite for a very large variance.
      logs_[index(c, i)] = -0.5 * (std::log(2 * std::numbers::pi) + std::log(kept));
      log_sums_[c] += logs_[index(c, i)];
    }
  }
}

// Where a sum of squares is infinite or NaN: NaN left out term by term, and squares halved before
// they are added, since half of a sum may be a number where the sum is none. False: a value is
// infinite.
template <class T>
bool Gaussians::score_gaps(const NumberTable<T>& x, size_t row, double* scores) const {
  for (size_t c = 0; c < classes(); ++c) {
    double half_squares = 0, logs = 0;
    for (size_t i = 0; i < columns_; ++i) {
      const double value = double(x.at(row, i)), scale = scales[index(c, i)];
      if (std::isinf(value)) return false;
      if (std::isnan(value) || scale == 0) continue;
      const double z = (value - means[index(c, i)]) * scale;
      half_squares += 0.5 * z * z;
      logs += logs_[index(c, i)];
    }
    scores[c] = log_prior_[c] + std::max(logs - half_squares, -kMost);
  }
  return true;
}

template <class T>
bool Gaussians::score_row(const NumberTable<T>& x, size_t row, const double* squares,
                          double* scores) const {
  bool whole = true;
  for (size_t c = 0; c < classes(); ++c) {
    whole &= squares[c] < kInfinity;
    scores[c] = log_prior_[c] + (log_sums_[c] - 0.5 * squares[c]);
  }
  return whole || score_gaps(x, row, scores);
}

template <class T>
bool Gaussians::score_block(const NumberTable<T>& x, size_t begin, size_t end, Score what,
                            double* squares, T* out) const {
  const size_t n = classes();
  standard_squares(x, *this, begin, end, squares);
  for (size_t row = begin; row < end; ++row, squares += padded()) {
    // In place: the scores of a row are as many as its squares, or fewer.
    if (!score_row(x, row, squares, squares)) return false;
    if (what != Score::kJoint) normalise(squares, n, what);
    std::transform(squares, squares + n, out + row * n, rounded<T>);
  }
  return true;
}

template <class T>
void Gaussians::score(const NumberTable<T>& x, Score what, unsigned threads, T* out) const {
  if (x.columns != columns_ || !classes())
    throw std::invalid_argument("X has another number of columns than there are means");
  const size_t block = std::max<size_t>(4, kBlockScores / padded());
  const size_t most = 1 + x.rows * padded() * (columns_ + 1) / kTermsPerThread;
  threads = unsigned(std::clamp<size_t>(threads, 1, most));
  std::atomic<bool> finite = true;
  std::atomic<size_t> next = 0;
  on_threads(threads, [&](unsigned) {
    std::vector<double> squares(block * padded());
    for (size_t begin; (begin = next.fetch_add(block)) < x.rows && finite;)
      if (!score_block(x, begin, std::min(x.rows, begin + block), what, squares.data(), out))
        finite = false;
  });
  if (!finite) refuse_infinite(x);
}

template void Gaussians::score(const NumberTable<float>&, Score, unsigned, float*) const;
template void Gaussians::score(const NumberTable<double>&, Score, unsigned, double*) const;

}  // namespace nabi
