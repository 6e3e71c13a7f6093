// Cache of logarithms: a term of each count n, for several smoothings a at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include "platform/fixed_point.h"

namespace nabi {

// log(1 + n / a): what a count adds to a score.
struct LogRatio {
  static double of(double n, double alpha) {
    const double ratio = n / alpha;
    return std::isinf(ratio) ? std::log(n) - std::log(alpha) : std::log1p(ratio);
  }
};

// n log(n - 1 + a V): the leave-one-out log likelihood of n draws from V outcomes, each looked up
// in the counts of the others.
struct LeaveOneOutTerm {
  static double of(double n, double alpha, double outcomes = 1) {
    return n > 0 ? n * std::log(std::max(n - 1, 0.0) + outcomes * alpha) : 0;
  }
};

// Rows of terms, one number for each smoothing. Most counts are whole numbers, and few of them are
// different: a row is computed when its count first comes. One per thread.
template <class Term>
class TermCache {
 public:
  explicit TermCache(std::span<const double> alphas)
      : alphas_(alphas), width_(width(alphas.size())), fractional_(allocate(kKept)) {}

  // Length of a row: zeros fill it up to whole vectors.
  static size_t width(size_t alphas) { return alphas == 1 ? 1 : (alphas + 3) / 4 * 4; }

  static constexpr size_t kKept = 8;
  // Whether the row of a count stays in the cache: that of a whole number does, that of a fraction
  // does not.
  static bool keeps(u64 units) { return units % kUnit == 0 && units / kUnit < kMost; }
  // The row of a count. A row that is not kept is valid until the kKept-th call after it; with one
  // smoothing, until the next call for a larger count.
  NABI_HOT const double* of(u64 units) {
    const u64 n = units / kUnit;
    if (units % kUnit == 0) [[likely]] {
      if (width_ == 1 && n < single_.size() && !std::isnan(single_[n])) return &single_[n];
      if (width_ != 1 && n < rows_.size() && rows_[n]) return rows_[n];
    }
    return compute(units);
  }

 private:
  static constexpr u64 kMost = u64{1} << 22, kRows = 256;
  struct Freed {
    void operator()(double* rows) const { std::free(rows); }
  };
  using Rows = std::unique_ptr<double[], Freed>;

  // Rows aligned to cache lines, so that a row touches as few as possible.
  Rows allocate(size_t rows) const {
    const size_t bytes = rows * width_ * sizeof(double);
    void* const p = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!p) throw std::bad_alloc();
    std::memset(p, 0, bytes);
    return Rows(static_cast<double*>(p));
  }
  const double* compute(u64 units) {
    const u64 n = units / kUnit;
    if (!keeps(units)) {
      slot_ = (slot_ + 1) % kKept;
      return fill(fractional_.get() + slot_ * width_, units);
    }
    if (width_ == 1) {
      if (n >= single_.size()) single_.resize(std::max<size_t>(n + 1, 2 * single_.size()), NAN);
      return fill(&single_[n], units);
    }
    if (n >= rows_.size()) rows_.resize(std::max<size_t>(n + 1, 2 * rows_.size()), nullptr);
    if (used_ % kRows == 0) blocks_.push_back(allocate(kRows));
    return rows_[n] = fill(blocks_.back().get() + used_++ % kRows * width_, units);
  }
  const double* fill(double* row, u64 units) const {
    const double n = double(units) / double(kUnit);
    for (size_t a = 0; a < alphas_.size(); ++a) row[a] = Term::of(n, alphas_[a]);
    return row;
  }

  std::span<const double> alphas_;
  size_t width_;
  std::vector<double> single_;       // by count, with one smoothing; NaN: not computed yet
  std::vector<const double*> rows_;  // by count, with several; null: not computed yet
  std::vector<Rows> blocks_;
  size_t used_ = 0, slot_ = 0;
  Rows fractional_;  // the last kKept rows of fractions
};
using LogRatioCache = TermCache<LogRatio>;
using LeaveOneOutCache = TermCache<LeaveOneOutTerm>;

}  // namespace nabi
