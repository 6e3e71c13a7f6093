// Terms of counts n, for each of several smoothings a.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include "platform/fixed_point.h"

namespace nabi {

// log(1 + n / a)
struct LogRatio {
  static double of(double n, double alpha) {
    const double ratio = n / alpha;
    return std::isinf(ratio) ? std::log(n) - std::log(alpha) : std::log1p(ratio);
  }
};

// n log(n - 1 + a V): n draws from V outcomes, each looked up in what the others leave.
struct Repeated {
  static double of(double n, double alpha, double outcomes = 1) {
    return n > 0 ? n * std::log(std::max(n - 1, 0.0) + outcomes * alpha) : 0;
  }
};

// Counts are mostly whole numbers, and few of them are different: a row of terms is worked out
// when its count first comes. One per thread.
template <class Term>
class CountRows {
 public:
  explicit CountRows(std::span<const double> alphas)
      : alphas_(alphas), width_(width(alphas.size())), odd_(room(kKept)) {}

  // Rows are filled up with zeros to whole vectors.
  static size_t width(size_t alphas) { return alphas == 1 ? 1 : (alphas + 3) / 4 * 4; }

  static constexpr size_t kKept = 8;
  // Whether the row of a count stays good: there are few whole numbers, and any number of others.
  static bool keeps(u64 units) { return units % kUnit == 0 && units / kUnit < kMost; }
  // A row. Where it is not kept, it is good until the kKept-th call after it; with one smoothing,
  // until the next of a larger count.
  NABI_HOT const double* of(u64 units) {
    const u64 n = units / kUnit;
    if (units % kUnit == 0) [[likely]] {
      if (width_ == 1 && n < single_.size() && !std::isnan(single_[n])) return &single_[n];
      if (width_ != 1 && n < places_.size() && places_[n]) return places_[n];
    }
    return made(units);
  }

 private:
  static constexpr u64 kMost = u64{1} << 22, kRows = 256;
  struct Freed {
    void operator()(double* rows) const { std::free(rows); }
  };
  using Rows = std::unique_ptr<double[], Freed>;

  // Rows that begin where a cache line does, so that none lies in one more than it must.
  Rows room(size_t rows) const {
    const size_t bytes = rows * width_ * sizeof(double);
    void* const p = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!p) throw std::bad_alloc();
    std::memset(p, 0, bytes);
    return Rows(static_cast<double*>(p));
  }
  const double* made(u64 units) {
    const u64 n = units / kUnit;
    if (!keeps(units)) {
      turn_ = (turn_ + 1) % kKept;
      return fill(odd_.get() + turn_ * width_, units);
    }
    if (width_ == 1) {
      if (n >= single_.size()) single_.resize(std::max<size_t>(n + 1, 2 * single_.size()), NAN);
      return fill(&single_[n], units);
    }
    if (n >= places_.size()) places_.resize(std::max<size_t>(n + 1, 2 * places_.size()), nullptr);
    if (used_ % kRows == 0) blocks_.push_back(room(kRows));
    return places_[n] = fill(blocks_.back().get() + used_++ % kRows * width_, units);
  }
  const double* fill(double* row, u64 units) const {
    const double n = double(units) / double(kUnit);
    for (size_t a = 0; a < alphas_.size(); ++a) row[a] = Term::of(n, alphas_[a]);
    return row;
  }

  std::span<const double> alphas_;
  size_t width_;
  std::vector<double> single_;  // the rows of one smoothing
  std::vector<const double*> places_;
  std::vector<Rows> blocks_;
  size_t used_ = 0, turn_ = 0;
  Rows odd_;
};
using CountLogs = CountRows<LogRatio>;
using CountRepeats = CountRows<Repeated>;

}  // namespace nabi
