// Histogram of changed counts: how many terms of each count are added (positive) or removed.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "platform/fixed_point.h"

namespace nabi {

class CountChanges {
 public:
  NABI_HOT void add(u64 units, int64_t times) {
    const u64 n = units / kUnit;
    if (units % kUnit || n >= kMost) return fractional_.emplace_back(units, times), void();
    if (n >= whole_.size()) whole_.resize(std::max<size_t>(n + 1, 2 * whole_.size()));
    if (!whole_[n]) touched_.push_back(u32(n));
    whole_[n] += times;
  }
  // Calls take(units, times) for each changed count, in an order that depends on the counts alone,
  // and empties the histogram.
  template <class Take>
  void flush(Take take) {
    std::sort(touched_.begin(), touched_.end());
    for (const u32 n : touched_)
      if (const int64_t times = std::exchange(whole_[n], 0)) take(n * kUnit, times);
    std::sort(fractional_.begin(), fractional_.end());
    for (size_t i = 0, j = 0; i < fractional_.size(); i = j) {
      int64_t times = 0;
      for (; j < fractional_.size() && fractional_[j].first == fractional_[i].first; ++j)
        times += fractional_[j].second;
      if (times) take(fractional_[i].first, times);
    }
    touched_.clear();
    fractional_.clear();
  }

 private:
  static constexpr u64 kMost = u64{1} << 16;
  std::vector<int64_t> whole_;  // by count
  std::vector<u32> touched_;    // counts in whole_, some of them twice
  std::vector<std::pair<u64, int64_t>> fractional_;
};

}  // namespace nabi
