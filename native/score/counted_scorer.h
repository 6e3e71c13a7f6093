// CountedScorer: scores of single texts by the counts as they are. A feature is weighed where it is
// met, so that nothing is prepared after a change. To the last bit the scores are those of a Scorer
// with the weights of the multinomial event model (src/nabi/events/multinomial.py).
#pragma once

#include <span>
#include <vector>

#include "count/count_table.h"
#include "score/weights.h"
#include "unicode/texts.h"

namespace nabi {

class CountedScorer {
 public:
  // `weights`: bias (with the prior) and slope alone, of the table's classes in `order`. The recipe
  // counts each occurrence. Throws std::invalid_argument where the sizes do not fit, or `alpha` is
  // not above 0.
  CountedScorer(const CountTable& table, Weights weights, std::span<const u32> order, double alpha);

  size_t classes() const { return w_.bias.size(); }
  // The joint log likelihoods: `out` holds one number for each class. Throws std::logic_error where
  // the table has got a class since.
  void joint(const Text& text, double* out) const;

 private:
  class Sink;

  double log_ratio(u64 units) const;  // log(1 + n / alpha)

  const CountTable& table_;
  const Weights w_;
  std::vector<u32> place_;  // of each class of the table; classes() for those left out
  const double alpha_;
};

}  // namespace nabi
