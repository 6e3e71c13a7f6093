// Bins for AVX2: each fits a vector. The fast path for rows of weight 1.
#pragma once

#include "platform/types.h"

namespace nabi {

// Sums over mantissas m = a * 2^27 + b: of a^2, of a b, of b^2 and of m.
struct alignas(32) SplitBin {
  u64 aa, ab, bb, m;
};
inline constexpr size_t kSplitRows = 1024;  // b^2 has 54 bits
inline constexpr size_t kSplitLanes = 4;    // values that are taken at once

// Rows `begin` to `end` of those in `order`, or of all; the next row is `step` numbers away.
struct SplitRows {
  const double* values;
  size_t step;
  const u32* order;
  size_t begin, end;
};

// Adds `lanes` columns, a multiple of kSplitLanes, to bins by sign and exponent, then by column of
// `width`, and marks the signs and exponents. NaN and infinity go to bins of their own that mean
// nothing; returns whether there were any.
bool add_split_avx2(const SplitRows& rows, size_t lanes, size_t width, SplitBin* bins, u8* touched);

}  // namespace nabi
