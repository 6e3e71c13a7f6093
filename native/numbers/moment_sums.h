// Exact sums of runs of rows: bins by sign and exponent, then wide integers.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <type_traits>

#include "numbers/moments.h"
#include "numbers/moments_avx2.h"
#include "numbers/wide_integer.h"
#include "platform/huge_pages.h"

namespace nabi {

inline constexpr unsigned kSigns = 4096,
                          kTop = 2047;  // sign and exponent of a double; NaN and infinity
inline constexpr u64 kFraction = (u64{1} << 52) - 1;
inline constexpr size_t kLanes = 32;    // as many columns as have their bins in the nearest cache
inline constexpr size_t kFewRows = 24;  // that are not worth the visit of bins
inline constexpr size_t kSplitFrom = 256;  // rows that are worth the visit of two kinds of bins
inline constexpr size_t kManySigns = 200;  // to visit them so often takes longer than it saves
inline constexpr size_t kAhead = 6;        // rows to fetch before they are needed

inline u64 mantissa(u64 bits) { return (bits & kFraction) | u64((bits >> 52 & kTop) != 0) << 52; }
// A double of this exponent is mantissa * 2^(shift - 1074).
inline unsigned shift_of(unsigned sign) { return std::max(sign & kTop, 1u) - 1; }

// Bin: the sums of the mantissas of one sign and exponent. Weight 1 is a shift at the end.
struct PlainBin {
  u128 sum, squares;
  static constexpr unsigned kShift = std::countr_zero(kUnit);
  NABI_HOT void add(u64 m, u64) {
    sum += m;
    squares += u128(m) * m;
  }
  U192 squared() const { return {u64(squares), u64(squares >> 64), 0}; }
};
// 97 and 150 bits a row: no number of rows overflows it.
struct WeightedBin {
  u128 sum;
  U192 squares;
  static constexpr unsigned kShift = 0;
  NABI_HOT void add(u64 m, u64 units) {
    sum += u128(m) * units;
    squares += product(u128(m) * m, units);
  }
  U192 squared() const { return squares; }
};

struct Sums {
  SumInteger sum;
  SquareSumInteger squares;
  u64 units;
};

// Sums of one thread: runs of rows of one class, a few columns at a time.
template <class T, class Bin>
class MomentSums {
 public:
  MomentSums(const NumberTable<T>& x, std::span<const u32> order, std::span<const u64> units)
      : x_(x), order_(order), units_(units) {}

  MomentEntries out;

  void run(u32 cls, size_t begin, size_t end) {
    u64 total = 0;
    for (size_t i = begin; i < end; ++i) total += units_of(row(i));
    for (size_t first = 0; first < x_.columns; first += kLanes) {
      const size_t lanes = std::min(kLanes, x_.columns - first);
      sums_.resize(std::max(sums_.size(), lanes));
      for (size_t c = 0; c < lanes; ++c) sums_[c] = Sums{{}, {}, total};
      if (end - begin <= kFewRows)
        add_few(begin, end, first, lanes);
      else
        add_many(begin, end, first, lanes);
      for (size_t c = 0; c < lanes; ++c) emit(cls, u32(first + c), sums_[c]);
    }
  }

 private:
  size_t row(size_t i) const { return order_.empty() ? i : order_[i]; }
  u64 units_of(size_t row) const { return units_.empty() ? kUnit : units_[row]; }

  static NABI_HOT u64 bits(T x) { return std::bit_cast<u64>(double(x)); }
  __attribute__((noinline)) void skip(u64 bits, size_t lane, u64 units) {
    if (bits & kFraction)
      sums_[lane].units -= units;
    else
      out.infinite = true;
  }

  void add_few(size_t begin, size_t end, size_t first, size_t lanes) {
    for (size_t i = begin; i < end; ++i) {
      const size_t r = row(i);
      const u64 units = units_of(r);
      for (size_t c = 0; c < lanes; ++c) {
        const u64 b = bits(x_.at(r, first + c)), m = mantissa(b);
        const unsigned sign = unsigned(b >> 52);
        if ((sign & kTop) == kTop) {
          skip(b, c, units);
          continue;
        }
        if (!m) continue;
        sums_[c].sum.add(product(m, units), shift_of(sign), sign > kTop);
        sums_[c].squares.add(product(u128(m) * m, units), 2 * shift_of(sign), false);
      }
    }
  }

  void add_many(size_t begin, size_t end, size_t first, size_t lanes) {
    const size_t width = std::min(kLanes, x_.columns);
    if (!bins_.size()) bins_ = Slots<Bin>(kSigns * width);
    if (touched_.empty()) touched_.resize(kSigns);
    const bool worth = has_split() && end - begin >= kSplitFrom;
    size_t split = worth ? lanes / kSplitLanes * kSplitLanes : 0;
    for (size_t at = begin, stop; at < end; at = stop) {
      stop = split ? std::min(end, at + kSplitRows) : end;
      const size_t signs = split ? add_split(at, stop, first, split, width) : 0;
      if (split < lanes) add_bins(at, stop, first, split, lanes, width);
      if (signs > kManySigns) split = 0;
    }
    flush(width, lanes);
  }

  // Columns from `lane` on, value by value.
  void add_bins(size_t begin, size_t end, size_t first, size_t lane, size_t lanes, size_t width) {
    // Known to be nobody else's: a store to `touched` could change any member.
    Bin* const bins = bins_.begin();
    u8* const touched = touched_.data();
    for (size_t i = begin; i < end; ++i) {
      const size_t r = row(i);
      const u64 units = units_of(r);
      const T* const x = x_.values + r * x_.row_step + first;
      fetch(i + kAhead, end, first, lanes);
      for (size_t c = lane; c < lanes; ++c) {
        const u64 b = bits(x[c]);
        const unsigned sign = unsigned(b >> 52);
        if ((sign & kTop) == kTop) [[unlikely]] {
          skip(b, c, units);
          continue;
        }
        touched[sign] = 1;
        bins[sign * width + c].add(mantissa(b), units);
      }
    }
  }

  static bool has_split() {
#if defined(__x86_64__)
    static const bool avx2 = __builtin_cpu_supports("avx2");
    return avx2 && std::is_same_v<T, double> && std::is_same_v<Bin, PlainBin>;
#else
    return false;
#endif
  }

  // The first columns, four values at once. What is not finite is counted afterwards. Returns how
  // many signs and exponents there were.
  size_t add_split([[maybe_unused]] size_t begin, [[maybe_unused]] size_t end,
                   [[maybe_unused]] size_t first, [[maybe_unused]] size_t lanes,
                   [[maybe_unused]] size_t width) {
#if defined(__x86_64__)
    if constexpr (std::is_same_v<T, double> && std::is_same_v<Bin, PlainBin>) {
      if (!split_.size()) split_ = Slots<SplitBin>(kSigns * width);
      const u32* const order = order_.empty() ? nullptr : order_.data();
      const SplitRows rows{x_.values + first, x_.row_step, order, begin, end};
      const bool odd = add_split_avx2(rows, lanes, width, split_.begin(), touched_.data());
      if (odd) skip_all(begin, end, first, lanes);
      return drain(width, lanes);
    }
#endif
    return 0;
  }

  void skip_all(size_t begin, size_t end, size_t first, size_t lanes) {
    for (size_t i = begin; i < end; ++i)
      for (size_t c = 0; c < lanes; ++c)
        if (const u64 b = bits(x_.at(row(i), first + c)); (b >> 52 & kTop) == kTop)
          skip(b, c, units_of(row(i)));
  }

  // Moves the sums of the small bins to the large ones.
  size_t drain(size_t width, size_t lanes) {
    size_t signs = 0;
    each_touched([&](unsigned sign) {
      ++signs;
      for (size_t c = 0; c < lanes; ++c) {
        SplitBin& from = split_[sign * width + c];
        Bin& to = bins_[sign * width + c];
        if ((sign & kTop) != kTop) {
          to.sum += from.m;
          to.squares += (u128(from.aa) << 54) + (u128(from.ab) << 28) + from.bb;
        }
        from = {};
      }
    });
    return signs;
  }

  template <class Visit>
  void each_touched(Visit visit) {
    for (unsigned sign = 0; sign < kSigns; ++sign) {
      if (sign % 8 == 0 && !load64(&touched_[sign])) {
        sign += 7;
        continue;
      }
      if (touched_[sign]) visit(sign);
    }
  }

  NABI_HOT void fetch(size_t i, size_t end, size_t first, size_t lanes) const {
    if (i >= end) return;
    const T* const p = x_.values + row(i) * x_.row_step + first;
    for (size_t c = 0; c < lanes; c += 64 / sizeof(T)) prefetch(p, c);
    prefetch(p, lanes - 1);
  }

  void flush(size_t width, size_t lanes) {
    each_touched([&](unsigned sign) {
      touched_[sign] = 0;
      if ((sign & kTop) == kTop) return;
      for (size_t c = 0; c < lanes; ++c) {
        Bin& bin = bins_[sign * width + c];
        const unsigned at = shift_of(sign);
        sums_[c].sum.add({u64(bin.sum), u64(bin.sum >> 64), 0}, at + Bin::kShift, sign > kTop);
        sums_[c].squares.add(bin.squared(), 2 * at + Bin::kShift, false);
        bin = {};
      }
    });
  }

  void emit(u32 cls, u32 column, const Sums& sums) {
    out.classes.push_back(cls);
    out.columns.push_back(column);
    out.units.push_back(sums.units);
    cut(sums.sum);
    cut(sums.squares);
  }
  template <class Wide>
  void cut(const Wide& wide) {
    const auto [low, high] = wide.span();
    out.lows.push_back(u8(low));
    out.limbs.insert(out.limbs.end(), wide.limbs + low, wide.limbs + high);
    out.ends.push_back(out.limbs.size());
  }

  const NumberTable<T>& x_;
  std::span<const u32> order_;
  std::span<const u64> units_;
  std::vector<Sums> sums_;
  Slots<Bin> bins_;          // by sign and exponent, then by column
  Slots<SplitBin> split_;    // the same, of a few rows
  std::vector<u8> touched_;  // signs and exponents of which a bin is in use
};

}  // namespace nabi
