// Weights: the terms of the scores of naive Bayes.
//   score(d, c) = bias(c) + n(d) slope(c) + sum over known features f of shared(f) + cell(f, c)
// with n(d) the number of known features of d.
#pragma once

#include <span>
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

// Weights in memory of somebody else.
struct WeightSpans {
  std::span<const double> bias, slope;
  std::span<const u8> known;
  std::span<const double> shared;
  std::span<const u64> offsets;
  std::span<const u32> classes;
  std::span<const double> cells;
  std::span<const int64_t> hard_bias;
  std::span<const u8> hard_shared;
  std::span<const int8_t> hard_cells;

  WeightSpans() = default;
  WeightSpans(const Weights& w)
      : bias(w.bias),
        slope(w.slope),
        known(w.known),
        shared(w.shared),
        offsets(w.offsets),
        classes(w.classes),
        cells(w.cells),
        hard_bias(w.hard_bias),
        hard_shared(w.hard_shared),
        hard_cells(w.hard_cells) {}
  Weights copied() const {
    const auto own = [](auto all) { return std::vector(all.begin(), all.end()); };
    return {own(bias),    own(slope), own(known),     own(shared),      own(offsets),
            own(classes), own(cells), own(hard_bias), own(hard_shared), own(hard_cells)};
  }
};

}  // namespace nabi
