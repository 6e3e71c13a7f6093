// Fuzz target: exact sums by bins and on threads equal those of adding value by value.
#include "numbers/moments.h"

#include <bit>
#include <cmath>
#include <map>
#include <stdexcept>

#include "fuzz/fuzz.h"
#include "numbers/wide_integer.h"

using namespace nabi;

namespace {

// Bits: bytes of the input, or a few values with many exponents, zeros and NaN among them.
double any_double(fuzz::Input& given) {
  const u64 bits = given.number();
  switch (given.below(8)) {
    case 0:
      return 0.0;
    case 1:
      return std::nan("");
    case 2:
      return std::bit_cast<double>(bits & ((u64{1} << 63) | ((u64{1} << 52) - 1)));  // subnormal
    case 3:
      return std::bit_cast<double>(bits);  // infinity too
    default:
      return std::ldexp(double(int64_t(bits)), -int(given.below(80)));
  }
}

struct Plain {
  SumInteger sum{};
  SquareSumInteger squares{};
  u64 units = 0;

  void add(double x, u64 w) {
    if (std::isnan(x)) return;
    units += w;
    int exponent = 0;
    // |x| = m * 2^(place - 1074), by the library's own way of taking a double apart.
    const double fraction = std::frexp(std::abs(x), &exponent);
    const int place = std::max(exponent - 53 + 1074, 0);
    const u64 m = x == 0 ? 0 : u64(std::ldexp(fraction, exponent + 1074 - place));
    for (u64 bit = 0; bit < 64; ++bit) {
      if (!(w >> bit & 1)) continue;
      sum.add({m, 0, 0}, unsigned(place) + unsigned(bit), std::signbit(x));
      const u128 square = u128(m) * m;
      squares.add({u64(square), u64(square >> 64), 0}, 2 * unsigned(place) + unsigned(bit), false);
    }
  }
  bool operator==(const Plain& other) const {
    return units == other.units && std::equal(sum.limbs, std::end(sum.limbs), other.sum.limbs) &&
           std::equal(squares.limbs, std::end(squares.limbs), other.squares.limbs);
  }
};
using Cells = std::map<std::pair<u32, u32>, Plain>;

// Adds limbs in two's complement, of which the missing ones are the sign.
template <class Wide>
void add_cut(Wide& to, const MomentEntries& entries, size_t i) {
  const u64 begin = i ? entries.ends[i - 1] : 0, end = entries.ends[i];
  CHECK(begin <= end && end <= entries.limbs.size());
  const u64 sign = begin < end && entries.limbs[end - 1] >> 63 ? ~u64{0} : 0;
  u64 carry = 0;
  for (size_t k = 0; k < std::size(to.limbs); ++k) {
    const u64 at = begin + k - entries.lows[i];
    const u64 limb = k < entries.lows[i] ? 0 : at < end ? entries.limbs[at] : sign;
    const u128 sum = u128(to.limbs[k]) + limb + carry;
    to.limbs[k] = u64(sum);
    carry = u64(sum >> 64);
  }
}

Cells cells_of(const MomentEntries& entries) {
  Cells cells;
  CHECK(entries.lows.size() == 2 * entries.units.size());
  for (size_t i = 0; i < entries.units.size(); ++i) {
    Plain& cell = cells[{entries.classes[i], entries.columns[i]}];
    cell.units += entries.units[i];
    add_cut(cell.sum, entries, 2 * i);
    add_cut(cell.squares, entries, 2 * i + 1);
  }
  return cells;
}

template <class T>
void check(fuzz::Input& given) {
  const u32 columns = 1 + given.below(given.flag() ? 3 : 40), n_classes = 1 + given.below(5);
  // Now and then so many rows that they take the way by bins, or by those of a vector.
  const size_t kind = given.below(64);
  const size_t rows = kind ? given.below(kind < 8 ? 80 : 12) : 250 + given.below(900);
  const bool weighted = given.flag(), by_row = given.flag();
  std::vector<T> values(rows * columns);
  std::vector<u32> classes(rows);
  std::vector<u64> units(weighted ? rows : 0);
  bool infinite = false;
  Cells expected;
  for (T& value : values) value = T(any_double(given));
  for (size_t r = 0; r < rows; ++r) {
    classes[r] = given.below(n_classes);
    if (weighted) units[r] = given.flag() ? given.below(4) : given.number() >> 20;
    for (u32 c = 0; c < columns; ++c) {
      const double x = values[by_row ? r * columns + c : c * rows + r];
      infinite |= std::isinf(x);
      if (!infinite) expected[{classes[r], c}].add(x, weighted ? units[r] : kUnit);
    }
  }
  const NumberTable<T> x{values.data(), rows, columns, by_row ? columns : 1, by_row ? 1 : rows};
  try {
    const MomentEntries got = moments(x, classes, n_classes, units, 1 + given.below(3));
    CHECK(!infinite);
    CHECK(cells_of(got) == expected);
  } catch (const std::invalid_argument&) {
    CHECK(infinite);
  }
}

// What does not fit together is refused.
void check_damaged(fuzz::Input& given) {
  const double values[] = {1, 2, 3};
  std::vector<u32> classes = {0, 1, given.below(3)};
  std::vector<u64> units(given.below(5), given.number());
  if (given.flag()) classes.resize(given.below(5));
  const bool fits = classes.size() == 3 && classes[2] < 2 && (units.empty() || units.size() == 3) &&
                    (units.empty() || units[0] <= kMostUnits);
  try {
    moments(NumberTable<double>{values, 3, 1, 1, 1}, classes, 2, units, 2);
    CHECK(fits);
  } catch (const std::invalid_argument&) {
    CHECK(!fits);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input given(data, size);
  given.flag() ? check<double>(given) : check<float>(given);
  check_damaged(given);
  return 0;
}
