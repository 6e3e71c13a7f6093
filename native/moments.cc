#include "moments.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "huge.h"
#include "threads.h"
#include "wide.h"

namespace nabi {
namespace {

constexpr unsigned kSigns = 4096, kTop = 2047;  // sign and exponent of a double; NaN and infinity
constexpr u64 kFraction = (u64{1} << 52) - 1;
constexpr size_t kLanes = 32;    // as many columns as have their bins in the nearest cache
constexpr size_t kFewRows = 24;  // that are not worth the visit of bins
constexpr size_t kRunRows = size_t{1} << 22;  // squares of 106 bits, so many of them fit into 128
constexpr size_t kAhead = 6;                  // rows to fetch before they are needed
constexpr size_t kValuesPerThread = 1 << 15;
constexpr size_t kTileValues = 1 << 21;  // turned from columns to rows at a time

u64 mantissa(u64 bits) { return (bits & kFraction) | u64((bits >> 52 & kTop) != 0) << 52; }
// A double of this exponent is mantissa * 2^(place - 1074).
unsigned place(unsigned sign) { return std::max(sign & kTop, 1u) - 1; }

// What the numbers of one sign and exponent add up to. Weight 1 is a shift at the end.
struct PlainBin {
  u128 sum, squares;
  static constexpr unsigned kShift = std::countr_zero(kUnit);
  NABI_HOT void add(u64 m, u64) {
    sum += m;
    squares += u128(m) * m;
  }
  Words squared() const { return {u64(squares), u64(squares >> 64), 0}; }
};
// 97 and 150 bits a row: no number of rows overflows it.
struct WeightedBin {
  u128 sum;
  Words squares;
  static constexpr unsigned kShift = 0;
  NABI_HOT void add(u64 m, u64 units) {
    sum += u128(m) * units;
    squares += product(u128(m) * m, units);
  }
  Words squared() const { return squares; }
};

struct Sums {
  SumWide sum;
  SquaresWide squares;
  u64 units;
};

// One thread's work: runs of rows of one class, a few columns at a time.
template <class T, class Bin>
class Summing {
 public:
  Summing(const Numbers<T>& x, std::span<const u32> order, std::span<const u64> units)
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

  NABI_HOT u64 bits(size_t row, size_t column) const {
    return std::bit_cast<u64>(double(x_.at(row, column)));
  }
  void skip(u64 bits, size_t lane, u64 units) {
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
        const u64 b = bits(r, first + c), m = mantissa(b);
        const unsigned sign = unsigned(b >> 52);
        if ((sign & kTop) == kTop) {
          skip(b, c, units);
          continue;
        }
        if (!m) continue;
        sums_[c].sum.add(product(m, units), place(sign), sign > kTop);
        sums_[c].squares.add(product(u128(m) * m, units), 2 * place(sign), false);
      }
    }
  }

  void add_many(size_t begin, size_t end, size_t first, size_t lanes) {
    const size_t width = std::min(kLanes, x_.columns);
    if (!bins_.size()) bins_ = Slots<Bin>(kSigns * width);
    if (touched_.empty()) touched_.resize(kSigns);
    for (size_t i = begin; i < end; ++i) {
      const size_t r = row(i);
      const u64 units = units_of(r);
      fetch(i + kAhead, end, first, lanes);
      for (size_t c = 0; c < lanes; ++c) {
        const u64 b = bits(r, first + c);
        const unsigned sign = unsigned(b >> 52);
        if ((sign & kTop) == kTop) {
          skip(b, c, units);
          continue;
        }
        touched_[sign] = 1;
        bins_[sign * width + c].add(mantissa(b), units);
      }
    }
    flush(width, lanes);
  }

  NABI_HOT void fetch(size_t i, size_t end, size_t first, size_t lanes) const {
    if (i >= end) return;
    const T* const p = x_.values + row(i) * x_.row_step + first;
    for (size_t c = 0; c < lanes; c += 64 / sizeof(T)) prefetch(p, c);
    prefetch(p, lanes - 1);
  }

  void flush(size_t width, size_t lanes) {
    for (unsigned sign = 0; sign < kSigns; ++sign) {
      if (sign % 8 == 0 && !load64(&touched_[sign])) {
        sign += 7;
        continue;
      }
      if (!touched_[sign]) continue;
      touched_[sign] = 0;
      for (size_t c = 0; c < lanes; ++c) {
        Bin& bin = bins_[sign * width + c];
        const unsigned at = place(sign);
        sums_[c].sum.add({u64(bin.sum), u64(bin.sum >> 64), 0}, at + Bin::kShift, sign > kTop);
        sums_[c].squares.add(bin.squared(), 2 * at + Bin::kShift, false);
        bin = {};
      }
    }
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

  const Numbers<T>& x_;
  std::span<const u32> order_;
  std::span<const u64> units_;
  std::vector<Sums> sums_;
  Slots<Bin> bins_;          // by sign and exponent, then by column
  std::vector<u8> touched_;  // signs and exponents of which a bin is in use
};

// The rows by class, those of one class in the order they have; empty: the order they have.
std::vector<u32> order_by_class(std::span<const u32> classes, u32 n_classes) {
  if (std::is_sorted(classes.begin(), classes.end())) return {};
  std::vector<u32> order(classes.size());
  if (classes.size() < n_classes) {
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](u32 a, u32 b) { return classes[a] < classes[b]; });
    return order;
  }
  std::vector<u32> next(size_t{n_classes} + 1);
  for (const u32 c : classes) ++next[c + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (size_t i = 0; i < classes.size(); ++i) order[next[classes[i]]++] = u32(i);
  return order;
}

template <class T>
void refuse_infinite(const Numbers<T>& x) {
  for (size_t r = 0; r < x.rows; ++r)
    for (size_t c = 0; c < x.columns; ++c)
      if (std::isinf(x.at(r, c)))
        throw std::invalid_argument("X[" + std::to_string(r) + ", " + std::to_string(c) +
                                    "] is infinite, expected a number or NaN");
}

void check(size_t rows, std::span<const u32> classes, u32 n_classes, std::span<const u64> units) {
  if (rows >= kMostRows) throw std::invalid_argument("too many rows, expected fewer than 2**32");
  if (classes.size() != rows || (!units.empty() && units.size() != rows))
    throw std::invalid_argument("expected one class and one number of units for each row");
  if (std::any_of(classes.begin(), classes.end(), [&](u32 c) { return c >= n_classes; }))
    throw std::invalid_argument("a class that is not there");
  u64 total = units.empty() ? rows * kUnit : 0;
  for (const u64 u : units) {
    if (u > kMostUnits) throw std::invalid_argument("a row has more than 2**44 units");
    total += u;  // 2^32 rows of 2^44 units: it may wrap
    if (total < u) throw std::overflow_error("the weights of all rows do not fit into 64 bits");
  }
}

void append(MomentEntries& to, const MomentEntries& from) {
  const u64 base = to.limbs.size();
  const auto join = [](auto& a, const auto& b) { a.insert(a.end(), b.begin(), b.end()); };
  join(to.classes, from.classes);
  join(to.columns, from.columns);
  join(to.units, from.units);
  join(to.lows, from.lows);
  join(to.limbs, from.limbs);
  to.infinite |= from.infinite;
  for (const u64 end : from.ends) to.ends.push_back(base + end);
}

template <class T, class Bin>
MomentEntries summed(const Numbers<T>& x, std::span<const u32> classes, u32 n_classes,
                     std::span<const u64> units, unsigned threads) {
  const std::vector<u32> order = order_by_class(classes, n_classes);
  const auto class_at = [&](size_t i) { return classes[order.empty() ? i : order[i]]; };
  std::vector<Summing<T, Bin>> parts(threads, Summing<T, Bin>(x, order, units));
  on_threads(threads, [&](unsigned t) {
    const size_t last = x.rows * (t + 1) / threads;
    for (size_t begin = x.rows * t / threads, end; begin < last; begin = end) {
      const u32 cls = class_at(begin);
      for (end = begin; end < last && end - begin < kRunRows && class_at(end) == cls;) ++end;
      parts[t].run(cls, begin, end);
    }
  });
  MomentEntries out = std::move(parts[0].out);
  for (unsigned t = 1; t < threads; ++t) append(out, parts[t].out);
  return out;
}

template <class T>
MomentEntries summed(const Numbers<T>& x, std::span<const u32> classes, u32 n_classes,
                     std::span<const u64> units, unsigned threads) {
  return units.empty() ? summed<T, PlainBin>(x, classes, n_classes, units, threads)
                       : summed<T, WeightedBin>(x, classes, n_classes, units, threads);
}

// Some rows, one after another.
template <class T>
std::vector<T> turned(const Numbers<T>& x, size_t begin, size_t end) {
  constexpr size_t kBlock = 16;  // rows whose lines stay in the nearest cache
  std::vector<T> out((end - begin) * x.columns);
  for (size_t b = begin; b < end; b += kBlock)
    for (size_t c = 0; c < x.columns; ++c)
      for (size_t r = b; r < std::min(end, b + kBlock); ++r)
        out[(r - begin) * x.columns + c] = x.at(r, c);
  return out;
}

// By tiles of rows, where those of one class would be too far apart in a column.
template <class T>
MomentEntries summed_by_tile(const Numbers<T>& x, std::span<const u32> classes, u32 n_classes,
                             std::span<const u64> units, unsigned threads) {
  const size_t step = std::clamp<size_t>(kTileValues / x.columns, 1, x.rows);
  const size_t tiles = (x.rows + step - 1) / step;
  std::vector<MomentEntries> parts(tiles);
  std::atomic<size_t> next = 0;
  on_threads(unsigned(std::min<size_t>(threads, tiles)), [&](unsigned) {
    for (size_t i; (i = next++) < tiles;) {
      const size_t begin = i * step, rows = std::min(step, x.rows - begin);
      const std::vector<T> tile = turned(x, begin, begin + rows);
      const Numbers<T> by_row{tile.data(), rows, x.columns, x.columns, 1};
      parts[i] = summed(by_row, classes.subspan(begin, rows), n_classes,
                        units.empty() ? units : units.subspan(begin, rows), 1);
    }
  });
  MomentEntries out;
  for (const MomentEntries& part : parts) append(out, part);
  return out;
}

}  // namespace

template <class T>
MomentEntries moments(const Numbers<T>& x, std::span<const u32> classes, u32 n_classes,
                      std::span<const u64> units, unsigned threads) {
  check(x.rows, classes, n_classes, units);
  const size_t most = 1 + x.rows * x.columns / kValuesPerThread;
  threads = unsigned(std::clamp<size_t>(threads, 1, most));
  MomentEntries out = x.column_step == 1 || !x.rows
                          ? summed(x, classes, n_classes, units, threads)
                          : summed_by_tile(x, classes, n_classes, units, threads);
  if (out.infinite) refuse_infinite(x);
  return out;
}

template MomentEntries moments(const Numbers<float>&, std::span<const u32>, u32,
                               std::span<const u64>, unsigned);
template MomentEntries moments(const Numbers<double>&, std::span<const u32>, u32,
                               std::span<const u64>, unsigned);

}  // namespace nabi
