// Basic types: integers by width, unaligned loads, prefetch and the forced-inline attribute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

// Forced inlining, for code that runs once a token: left to itself, the compiler stops inlining
// when a file instantiates the loop a few times, and counting takes twice as long.
#define NABI_HOT __attribute__((always_inline)) inline

namespace nabi {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

// The limit of a buffer; a tiny one where the kernel is fuzzed, so that small inputs reach it.
constexpr size_t limit([[maybe_unused]] size_t usual, [[maybe_unused]] size_t tiny) {
#ifdef NABI_TINY_BUFFERS
  return tiny;
#else
  return usual;
#endif
}

// Padded buffers: readers may load this many bytes past the end.
inline constexpr size_t kPadding = 64;

inline u64 load64(const u8* p) {
  u64 v;
  std::memcpy(&v, p, 8);
  return v;
}

// Number of set bits. The baseline of x86-64 has no instruction for it, and the compiler would call
// a function.
NABI_HOT u32 count_bits(u64 x) {
  x -= x >> 1 & 0x5555555555555555ULL;
  x = (x & 0x3333333333333333ULL) + (x >> 2 & 0x3333333333333333ULL);
  return u32(((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0FULL) * 0x0101010101010101ULL >> 56);
}

// Prefetches values[i], which may be out of range.
template <class T>
NABI_HOT void prefetch(const T* values, size_t i) {
  __builtin_prefetch(reinterpret_cast<const void*>(uintptr_t(values) + i * sizeof(T)));
}

}  // namespace nabi
