// Wide integers for exact sums of doubles, or of their squares, in units of the smallest one.
#pragma once

#include <utility>

#include "platform/types.h"

namespace nabi {

using u128 = unsigned __int128;

// An unsigned number of 192 bits, low word first.
struct U192 {
  u64 w[3];

  NABI_HOT U192& operator+=(const U192& other) {
    u128 sum = u128(w[0]) + other.w[0];
    w[0] = u64(sum);
    sum = (sum >> 64) + w[1] + other.w[1];
    w[1] = u64(sum);
    w[2] += other.w[2] + u64(sum >> 64);
    return *this;
  }
};

// a * b, for a below 2^128.
NABI_HOT U192 product(u128 a, u64 b) {
  const u128 low = u128(u64(a)) * b, high = u128(u64(a >> 64)) * b + u64(low >> 64);
  return {u64(low), u64(high), u64(high >> 64)};
}

// An integer in two's complement, low limb first.
template <size_t kLimbs>
struct WideInteger {
  u64 limbs[kLimbs];

  // Adds `number` * 2^shift, or subtracts it. There must be shift / 64 + 4 limbs.
  void add(const U192& number, unsigned shift, bool negative) {
    const unsigned up = shift % 64;
    const auto shifted = [&](u64 low, u64 high) {
      return u64((u128(high) << 64 | low) << up >> 64);
    };
    const u64 four[] = {number.w[0] << up, shifted(number.w[0], number.w[1]),
                        shifted(number.w[1], number.w[2]), shifted(number.w[2], 0)};
    u64* limb = limbs + shift / 64;
    u64 carry = 0;
    for (const u64 word : four) carry = step(*limb++, word, carry, negative);
    while (carry && limb != limbs + kLimbs) carry = step(*limb++, 0, carry, negative);
  }

  // The significant limbs: those below are zeros, those above repeat the sign.
  std::pair<size_t, size_t> span() const {
    size_t low = 0, high = kLimbs;
    while (low < kLimbs && !limbs[low]) ++low;
    if (low == kLimbs) return {0, 0};
    const u64 sign = u64(int64_t(limbs[kLimbs - 1]) >> 63);
    while (high > low + 1 && limbs[high - 1] == sign && limbs[high - 2] >> 63 == (sign & 1)) --high;
    return {low, high};
  }

 private:
  static u64 step(u64& limb, u64 word, u64 carry, bool negative) {
    const u128 sum = negative ? u128(limb) - word - carry : u128(limb) + word + carry;
    limb = u64(sum);
    return u64(sum >> 64) & 1;
  }
};

// 2098 and 4196 bits for the largest double, 64 for its units, one for the sign; and the four limbs
// that an addition may reach.
using SumInteger = WideInteger<37>;
using SquareSumInteger = WideInteger<69>;

}  // namespace nabi
