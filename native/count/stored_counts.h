// The sorted arrays of a model file as it holds them: read where they lie, perhaps hostile.
#pragma once

#include <algorithm>
#include <span>

#include "platform/types.h"

namespace nabi {

// Unsigned integers of 1, 2, 4 or 8 bytes.
struct Numbers {
  const void* data = nullptr;
  size_t size = 0;
  unsigned width = 8;

  template <class T>
  static Numbers of(std::span<const T> values) {
    return {values.data(), values.size(), sizeof(T)};
  }

  u64 operator[](size_t i) const {
    switch (width) {
      case 1:
        return static_cast<const u8*>(data)[i];
      case 2:
        return static_cast<const u16*>(data)[i];
      case 4:
        return static_cast<const u32*>(data)[i];
      default:
        return static_cast<const u64*>(data)[i];
    }
  }
};

struct StoredCounts {
  std::span<const u8> words;  // names end to end, sorted
  Numbers word_offsets, cell_offsets, classes, counts;
  unsigned shift = 0;  // how many low bits the counts lack
};

// What a reader has seen of the counts of a file: the bits that are set in any of them, the largest
// one, and the largest class.
struct SeenNumbers {
  u64 bits = 0, most_count = 0, most_class = 0;

  void see(u64 count, u64 cls) {
    bits |= count;
    most_count = std::max(most_count, count);
    most_class = std::max(most_class, cls);
  }
  void add(const SeenNumbers& other) {
    bits |= other.bits;
    most_count = std::max(most_count, other.most_count);
    most_class = std::max(most_class, other.most_class);
  }
};

}  // namespace nabi
