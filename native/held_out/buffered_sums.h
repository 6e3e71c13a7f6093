// Buffered sums of rows: rows are added 16 at a time, so that a sum is read and written once for
// all of them, and each row has been prefetched by then.
#pragma once

#include <cstring>
#include <vector>

#include "platform/types.h"

namespace nabi {

class BufferedSums {
 public:
  // `width`: numbers in a row, a multiple of 4.
  BufferedSums(size_t sums, size_t width) : width_(width), n_(sums), terms_(sums * kMost) {}

  // sums[sum * width + k] += times * row[k]
  void add_now(size_t sum, double times, const double* row, double* sums) const {
    for (size_t k = 0; k < width_; ++k) sums[sum * width_ + k] += times * row[k];
  }
  // Adds likewise, at the latest in flush(): until then the row must stay in memory.
  NABI_HOT void add(size_t sum, double times, const double* row, double* sums) {
    for (size_t k = 0; k < width_; k += 8) __builtin_prefetch(row + k);
    terms_[sum * kMost + n_[sum]] = {row, times};
    if (++n_[sum] == kMost) flush_sum(sum, sums);
  }
  void flush(double* sums) {
    for (size_t sum = 0; sum < n_.size(); ++sum)
      if (n_[sum]) flush_sum(sum, sums);
  }

 private:
  static constexpr u32 kMost = 16;
  struct Term {
    const double* row;
    double times;
  };
  typedef double V __attribute__((vector_size(2 * sizeof(double))));

  void flush_sum(size_t sum, double* sums) {
    const Term* const terms = terms_.data() + sum * kMost;
    const u32 n = n_[sum];
    size_t k = 0;
    for (; k + 16 <= width_; k += 16) add_columns<8>(terms, n, k, sums + sum * width_);
    for (; k < width_; k += 4) add_columns<2>(terms, n, k, sums + sum * width_);
    n_[sum] = 0;
  }
  template <size_t kVectors>
  static void add_columns(const Term* terms, u32 n, size_t k, double* sums) {
    V all[kVectors];
    std::memcpy(all, sums + k, sizeof all);
    for (u32 i = 0; i < n; ++i)
      for (size_t v = 0; v < kVectors; ++v) {
        V row;
        std::memcpy(&row, terms[i].row + k + 2 * v, sizeof row);
        all[v] += terms[i].times * row;
      }
    std::memcpy(sums + k, all, sizeof all);
  }

  size_t width_;
  std::vector<u32> n_;
  std::vector<Term> terms_;
};

}  // namespace nabi
