// Moments by class and column on several threads.
#include "numbers/moments.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>

#include "numbers/moment_sums.h"
#include "platform/threads.h"

namespace nabi {
namespace {

constexpr size_t kRunRows = size_t{1} << 22;  // squares of 106 bits, so many of them fit into 128
constexpr size_t kValuesPerThread = 1 << 15;
constexpr size_t kTileValues = 1 << 21;  // copied to row-major order at a time

// Rows sorted by class, stably; empty: they are sorted already.
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
MomentEntries summed(const NumberTable<T>& x, std::span<const u32> classes, u32 n_classes,
                     std::span<const u64> units, unsigned threads) {
  const std::vector<u32> order = order_by_class(classes, n_classes);
  const auto class_at = [&](size_t i) { return classes[order.empty() ? i : order[i]]; };
  std::vector<MomentSums<T, Bin>> parts(threads, MomentSums<T, Bin>(x, order, units));
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
MomentEntries summed(const NumberTable<T>& x, std::span<const u32> classes, u32 n_classes,
                     std::span<const u64> units, unsigned threads) {
  return units.empty() ? summed<T, PlainBin>(x, classes, n_classes, units, threads)
                       : summed<T, WeightedBin>(x, classes, n_classes, units, threads);
}

// Copies some rows to row-major order.
template <class T>
std::vector<T> row_major(const NumberTable<T>& x, size_t begin, size_t end) {
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
MomentEntries summed_by_tile(const NumberTable<T>& x, std::span<const u32> classes, u32 n_classes,
                             std::span<const u64> units, unsigned threads) {
  const size_t step = std::clamp<size_t>(kTileValues / x.columns, 1, x.rows);
  const size_t tiles = (x.rows + step - 1) / step;
  std::vector<MomentEntries> parts(tiles);
  std::atomic<size_t> next = 0;
  on_threads(unsigned(std::min<size_t>(threads, tiles)), [&](unsigned) {
    for (size_t i; (i = next++) < tiles;) {
      const size_t begin = i * step, rows = std::min(step, x.rows - begin);
      const std::vector<T> tile = row_major(x, begin, begin + rows);
      const NumberTable<T> by_row{tile.data(), rows, x.columns, x.columns, 1};
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
MomentEntries moments(const NumberTable<T>& x, std::span<const u32> classes, u32 n_classes,
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

template MomentEntries moments(const NumberTable<float>&, std::span<const u32>, u32,
                               std::span<const u64>, unsigned);
template MomentEntries moments(const NumberTable<double>&, std::span<const u32>, u32,
                               std::span<const u64>, unsigned);

}  // namespace nabi
