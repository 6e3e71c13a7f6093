// Exact moments: sums of numbers and of their squares as integers. Every finite double is a
// multiple of 2^-1074, and its square of 2^-2148. Integer sums are equal in any order, on any
// number of threads.
#pragma once

#include <span>
#include <vector>

#include "numbers/number_table.h"
#include "platform/fixed_point.h"

namespace nabi {

inline constexpr u64 kMostUnits = u64{1} << 44;    // of one row: more could overflow a bin
inline constexpr size_t kMostRows = u64{1} << 32;  // of one batch

// For each entry, those of a class and column to be added up:
//   units of the rows whose value is a number, sum of units * x * 2^1074, of units * x^2 * 2^2148.
// The sums are in two's complement and cut: sum i is limbs[ends[i - 1]] to limbs[ends[i]], times
// 2^(64 lows[i]). Sums 2k and 2k + 1 belong to entry k.
struct MomentEntries {
  std::vector<u32> classes, columns;
  std::vector<u64> units;
  std::vector<u8> lows;
  std::vector<u64> ends, limbs;
  bool infinite = false;  // a value was infinite, and is not in the sums
};

// NaN is left out. Throws std::invalid_argument where a value is infinite or a class is not below
// n_classes, std::overflow_error where all units do not fit into 64 bits. No units: kUnit for each.
template <class T>
MomentEntries moments(const NumberTable<T>& x, std::span<const u32> classes, u32 n_classes,
                      std::span<const u64> units, unsigned threads);

}  // namespace nabi
