// Gaussian naive Bayes: scores of rows of numbers, with a normal distribution by class and column.
//   score(x, c) = log prior(c) + sum over columns of log density(x; mean(c), variance(c))
// Sums run in the order of the columns, equal for every row: the last bit depends on the row alone.
#pragma once

#include <span>
#include <vector>

#include "numbers/number_table.h"

namespace nabi {

enum class Score : u8 { kJoint, kLogProbability, kProbability };

class Gaussians {
 public:
  // Mean and variance by class, then by column. A variance is taken as the nearest double that has
  // a reciprocal, from 2.2e-308 to 1.8e308; where it or the mean is NaN, the column says nothing of
  // the class. Throws std::invalid_argument where the sizes do not fit.
  Gaussians(std::span<const double> mean, std::span<const double> variance,
            std::span<const double> log_prior);

  size_t classes() const { return log_prior_.size(); }

  // Writes classes() scores for each row of x. NaN is left out; a score below -1.8e308 becomes
  // -1.8e308, so that none is NaN. Throws std::invalid_argument where a value is infinite, or
  // the columns are not as many as those of the means.
  template <class T>
  void score(const NumberTable<T>& x, Score what, unsigned threads, T* out) const;

  // Memory layout for the loops: blocks of four classes, column by column.
  static constexpr size_t kWide = 4;
  size_t padded() const { return (classes() + kWide - 1) / kWide * kWide; }
  std::vector<double> means, scales;  // 1 / standard deviation; 0 where nothing is said

 private:
  template <class T>
  bool score_block(const NumberTable<T>& x, size_t begin, size_t end, Score what, double* squares,
                   T* out) const;
  template <class T>
  bool score_row(const NumberTable<T>& x, size_t row, const double* squares, double* scores) const;
  template <class T>
  bool score_gaps(const NumberTable<T>& x, size_t row, double* scores) const;
  size_t index(size_t c, size_t column) const {
    return (c / kWide * columns_ + column) * kWide + c % kWide;
  }

  size_t columns_;
  std::vector<double> log_prior_;
  std::vector<double> logs_, log_sums_;  // -log(2 pi variance) / 2, as the means; by class
};

// sum over columns of ((x - mean) / standard deviation)^2: padded() numbers for each row.
template <class T>
void standard_squares(const NumberTable<T>& x, const Gaussians& g, size_t begin, size_t end,
                      double* out);

}  // namespace nabi
