// MurmurHash3 (x86, 32 bits), the hash of scikit-learn's FeatureHasher.
#pragma once

#include "platform/types.h"

namespace nabi {

// Hash with the seed 0. 20 bytes from the start and 4 after the end must be readable. Most words
// have up to 16 bytes: all four steps are computed and those within the word kept, since a loop
// whose end is mispredicted takes twice as long.
NABI_HOT u32 murmur3(const u8* p, size_t n) {
  const auto load32 = [](const u8* at) {
    u32 v;
    std::memcpy(&v, at, 4);
    return v;
  };
  const auto turned = [](u32 x, int by) { return x << by | x >> (32 - by); };
  const auto mixed = [&](u32 k) { return turned(k * 0xCC9E2D51u, 15) * 0x1B873593u; };
  const auto step = [&](u32 h, const u8* at) {
    return turned(h ^ mixed(load32(at)), 13) * 5 + 0xE6546B64u;
  };
  u32 h = 0;
  if (n <= 16) [[likely]] {
    for (size_t i = 0; i < 16; i += 4) {
      const u32 next = step(h, p + i);
      h = i + 4 <= n ? next : h;
    }
  } else {
    for (size_t i = 0; i + 4 <= n; i += 4) h = step(h, p + i);
  }
  const u32 rest = (u32{1} << 8 * (n & 3)) - 1;  // the bytes of the last word that count
  h ^= mixed(load32(p + (n & ~size_t{3})) & rest) ^ u32(n);
  h = (h ^ h >> 16) * 0x85EBCA6Bu;
  h = (h ^ h >> 13) * 0xC2B2AE35u;
  return h ^ h >> 16;
}

}  // namespace nabi
