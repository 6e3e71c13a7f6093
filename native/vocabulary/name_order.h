// Comparison of names by bytes, which in UTF-8 is the order of code points.
#pragma once

#include <algorithm>
#include <span>

#include "platform/types.h"

namespace nabi {

inline int compare(std::span<const u8> a, std::span<const u8> b) {
  const size_t n = std::min(a.size(), b.size());
  const int order = n ? std::memcmp(a.data(), b.data(), n) : 0;
  return order ? order : a.size() < b.size() ? -1 : a.size() > b.size();
}

// The first 8 bytes as a number that sorts as they do.
inline u64 leading(std::span<const u8> name) {
  u8 bytes[8] = {};
  if (!name.empty()) std::memcpy(bytes, name.data(), std::min<size_t>(8, name.size()));
  return __builtin_bswap64(load64(bytes));
}

}  // namespace nabi
