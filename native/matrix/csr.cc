// Sorting the cells of a row by column.
#include "matrix/csr.h"

#include <algorithm>
#include <bit>

namespace nabi {
namespace {

constexpr u64 kNarrow = u64{1} << 17;  // columns whose values still fit a core's cache
constexpr size_t kBlock = 64 * 64;     // columns for each word of blocks_
constexpr size_t kFewCells = 12;       // sorted sooner by comparing them
constexpr u32 kFullBucket = 8;         // cells

bool before(const Cell& a, const Cell& b) { return a.column < b.column; }

// The same cells, those of one column, which stand side by side, as one.
void add_up(std::vector<Cell>& cells, size_t begin) {
  if (begin == cells.size()) return;
  size_t last = begin;
  for (size_t i = begin + 1; i < cells.size(); ++i) {
    if (cells[i].column == cells[last].column)
      cells[last].value += cells[i].value;
    else
      cells[++last] = cells[i];
  }
  cells.resize(last + 1);
}

void insertion_sort(Cell* cells, size_t n) {
  for (size_t i = 1; i < n; ++i) {
    const Cell cell = cells[i];
    size_t at = i;
    for (; at && before(cell, cells[at - 1]); --at) cells[at] = cells[at - 1];
    cells[at] = cell;
  }
}

}  // namespace

RowSorter::RowSorter(u64 width) : width_bits_(int(std::bit_width(std::max<u64>(1, width) - 1))) {
  if (width > kNarrow) return;
  values_.resize(width);
  bits_.resize((width + 63) / 64);
  blocks_.resize((width + kBlock - 1) / kBlock);
}

void RowSorter::sort(std::vector<Cell>& cells, size_t begin) {
  const size_t n = cells.size() - begin;
  if (n > kFewCells && !blocks_.empty()) return sort_by_bits(cells, begin);
  if (n > kFewCells)
    sort_by_buckets(std::span(cells).subspan(begin));
  else
    insertion_sort(cells.data() + begin, n);
  add_up(cells, begin);
}

void RowSorter::sort_by_buckets(std::span<Cell> cells) {
  const int bits = std::min(int(std::bit_width(cells.size())), width_bits_);
  const int shift = width_bits_ - bits;
  ends_.assign((size_t{1} << bits) + 1, 0);
  for (const Cell& cell : cells) ++ends_[(cell.column >> shift) + 1];
  for (size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
  scratch_.resize(cells.size());
  for (const Cell& cell : cells) scratch_[ends_[cell.column >> shift]++] = cell;
  // Each bucket now ends where it says. One that holds too many is put in order on its own; what is
  // out of order then is near its place.
  for (size_t i = 0, at = 0; i + 1 < ends_.size(); at = ends_[i++])
    if (ends_[i] - at > kFullBucket)
      std::sort(scratch_.begin() + ptrdiff_t(at), scratch_.begin() + ptrdiff_t(ends_[i]), before);
  insertion_sort(scratch_.data(), scratch_.size());
  std::copy(scratch_.begin(), scratch_.end(), cells.begin());
}

void RowSorter::sort_by_bits(std::vector<Cell>& cells, size_t begin) {
  for (size_t i = begin; i < cells.size(); ++i) {
    const u32 column = cells[i].column, word = column >> 6;
    values_[column] += cells[i].value;
    bits_[word] |= u64{1} << (column & 63);
    blocks_[word >> 6] |= u64{1} << (word & 63);
  }
  size_t n = begin;
  for (size_t block = 0; block < blocks_.size(); ++block) {
    for (u64 words = blocks_[block]; words; words &= words - 1) {
      const size_t word = block * 64 + size_t(__builtin_ctzll(words));
      for (u64 bits = bits_[word]; bits; bits &= bits - 1) {
        const size_t column = word * 64 + size_t(__builtin_ctzll(bits));
        cells[n++] = {u32(column), values_[column]};
        values_[column] = 0;
      }
      bits_[word] = 0;
    }
    blocks_[block] = 0;
  }
  cells.resize(n);
}

}  // namespace nabi
