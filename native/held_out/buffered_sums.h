// Sums of many rows of numbers, several of which are kept at once: a row waits until its sum has
// enough of them. By then it has been fetched, and the sum is read and written once for all.
#pragma once

#include <cstring>
#include <vector>

#include "platform/types.h"

namespace nabi {

class WaitingRows {
 public:
  // Rows of so many numbers, a multiple of 4.
  WaitingRows(size_t sums, size_t width) : width_(width), n_(sums), rows_(sums * kMost) {}

  // sums[sum * width + k] += times * row[k]
  void add_now(size_t sum, double times, const double* row, double* sums) const {
    for (size_t k = 0; k < width_; ++k) sums[sum * width_ + k] += times * row[k];
  }
  // The same, at the latest when it is closed: until then the row must stay.
  NABI_HOT void add(size_t sum, double times, const double* row, double* sums) {
    for (size_t k = 0; k < width_; k += 8) __builtin_prefetch(row + k);
    rows_[sum * kMost + n_[sum]] = {row, times};
    if (++n_[sum] == kMost) add_all(sum, sums);
  }
  void close(double* sums) {
    for (size_t sum = 0; sum < n_.size(); ++sum)
      if (n_[sum]) add_all(sum, sums);
  }

 private:
  static constexpr u32 kMost = 16;
  struct Waiting {
    const double* row;
    double times;
  };
  typedef double V __attribute__((vector_size(2 * sizeof(double))));

  void add_all(size_t sum, double* sums) {
    const Waiting* const rows = rows_.data() + sum * kMost;
    const u32 n = n_[sum];
    size_t k = 0;
    for (; k + 16 <= width_; k += 16) add_columns<8>(rows, n, k, sums + sum * width_);
    for (; k < width_; k += 4) add_columns<2>(rows, n, k, sums + sum * width_);
    n_[sum] = 0;
  }
  template <size_t kVectors>
  static void add_columns(const Waiting* rows, u32 n, size_t k, double* sums) {
    V all[kVectors];
    std::memcpy(all, sums + k, sizeof all);
    for (u32 i = 0; i < n; ++i)
      for (size_t v = 0; v < kVectors; ++v) {
        V row;
        std::memcpy(&row, rows[i].row + k + 2 * v, sizeof row);
        all[v] += rows[i].times * row;
      }
    std::memcpy(sums + k, all, sizeof all);
  }

  size_t width_;
  std::vector<u32> n_;
  std::vector<Waiting> rows_;
};

}  // namespace nabi
