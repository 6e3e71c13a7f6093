// Fixed-point sums of log losses, in units of 2^-32: equal for documents in any order.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "platform/types.h"

namespace nabi {

struct Losses {
  std::vector<double> means;  // of -log P(own class|d), for each smoothing; infinite where one is
  std::vector<u64> right;     // correct decisions, for each smoothing
};

class LossSums {
 public:
  explicit LossSums(size_t alphas) : sums_(alphas) {}

  // Adds a document: `joint` is log P(d|c) P(c) for each class, `own` the document's class.
  void add(size_t alpha, const double* joint, size_t classes, size_t own) {
    const double* const best = std::max_element(joint, joint + classes);
    double all = 0;
    for (size_t c = 0; c < classes; ++c) all += std::exp(joint[c] - *best);
    const double loss = std::log(all) - (joint[own] - *best);
    Sum& sum = sums_[alpha];
    sum.right += size_t(best - joint) == own;
    if (loss < kMost)
      sum.loss += (unsigned __int128)(loss * kScale + 0.5);
    else
      sum.infinite = true;
  }
  void add(const LossSums& other) {
    for (size_t a = 0; a < sums_.size(); ++a) {
      sums_[a].loss += other.sums_[a].loss;
      sums_[a].right += other.sums_[a].right;
      sums_[a].infinite |= other.sums_[a].infinite;
    }
  }
  Losses of(size_t documents) const {
    Losses out;
    for (const Sum& sum : sums_) {
      out.means.push_back(sum.infinite ? INFINITY : double(sum.loss) / kScale / double(documents));
      out.right.push_back(sum.right);
    }
    return out;
  }

 private:
  static constexpr double kScale = 4294967296.0, kMost = 1e18;
  struct Sum {
    unsigned __int128 loss = 0;
    u64 right = 0;
    bool infinite = false;
  };
  std::vector<Sum> sums_;
};

}  // namespace nabi
