// Weights: the terms of the scores of naive Bayes.
//   score(d, c) = bias(c) + n(d) slope(c) + sum over known features f of shared(f) + cell(f, c)
// with n(d) the number of known features of d.
#pragma once

#include <vector>

#include "platform/types.h"

namespace nabi {

struct Weights {
  std::vector<double> bias, slope;  // by class
  // By feature, ordered by space and id.
  std::vector<u8> known;       // 0: left out, as if never seen
  std::vector<double> shared;  // empty: none
  std::vector<u64> offsets;    // of each feature's first cell
  std::vector<u32> classes;    // of each cell
  std::vector<double> cells;
  // Where probabilities may be zero: a class is impossible (-inf) when
  // hard_bias(c) + sum of hard_shared(f) + hard_cell(f, c) is above 0. Empty: none.
  std::vector<int64_t> hard_bias;
  std::vector<u8> hard_shared;
  std::vector<int8_t> hard_cells;

  // The sums of a text give the score of a class, in this order to the last bit.
  double score(double bias_and_prior, size_t c, double n, double all_shared,
               double cell_sum) const {
    return ((bias_and_prior + n * slope[c]) + all_shared) + cell_sum;
  }
};

}  // namespace nabi
