// Hash functions: one for hash tables (seeded in each process), one that the file format fixes.
#pragma once

#include "platform/types.h"

namespace nabi {

// kHash1 holds the byte 0xFF, which no UTF-8 text contains: no text can make `a ^ kHash1` zero and
// so wipe out what was hashed before it.
inline constexpr u64 kHash0 = 0x9FB21C651E98DF25ULL;
inline constexpr u64 kHash1 = 0xFF51AFD7ED558CCDULL;
inline constexpr u64 kHash2 = 0xC4CEB9FE1A85EC53ULL;
inline constexpr u64 kHash3 = 0xD6E8FEB86659FD93ULL;

NABI_HOT u64 fold(u64 a, u64 b) {
  const unsigned __int128 product = (unsigned __int128)a * b;
  return u64(product) ^ u64(product >> 64);
}

// A fold that keeps both numbers: where one is zero, the other is not wiped out.
NABI_HOT u64 keeping_fold(u64 a, u64 b) { return fold(a, b) ^ a ^ b; }

template <class Fold>
NABI_HOT u64 hash_by(const u8* p, size_t n, u64 seed, Fold fold) {
  u64 h = seed ^ fold(n ^ kHash0, kHash3);
  size_t i = 0;
  for (; i + 16 <= n; i += 16) h = fold(load64(p + i) ^ kHash1, load64(p + i + 8) ^ h ^ kHash0);
  if (i < n) {
    u8 last[16] = {};
    std::memcpy(last, p + i, n - i);
    h = fold(load64(last) ^ kHash1, load64(last + 8) ^ h ^ kHash0);
  }
  return fold(h ^ kHash2, n ^ kHash3);
}

// The hashes of the file format: buckets come from the first, and so did fingerprints, until texts
// of one fingerprint were found within seconds. Never change them.
inline u64 hash64(const u8* p, size_t n, u64 seed) { return hash_by(p, n, seed, fold); }
inline u64 keeping_hash64(const u8* p, size_t n, u64 seed) {
  return hash_by(p, n, seed, keeping_fold);
}

inline constexpr u64 kWordSeed = 0, kCharSeed = 1, kDocumentSeed = 2;

inline u64 hash_gram(u64 prefix, u64 last) { return fold(prefix ^ kHash2, last ^ kHash0); }
inline u32 bucket_of(u64 hash, u64 buckets) { return u32((unsigned __int128)hash * buckets >> 64); }

// Two random numbers, drawn once in each process: crafted words cannot flood a table.
struct TableSeed {
  u64 a, b;
};
TableSeed draw_seed();
inline const TableSeed table_seed = draw_seed();

}  // namespace nabi
