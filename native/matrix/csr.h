// Compressed sparse rows (CSR), made from pieces of rows that threads fill one by one.
#pragma once

#include <span>
#include <vector>

#include "platform/huge_pages.h"
#include "platform/threads.h"
#include "platform/types.h"

namespace nabi {

struct Cell {
  u32 column;
  int32_t value;
};

// Some rows end to end.
struct CellRows {
  std::vector<Cell> cells;
  std::vector<size_t> ends;  // of each row, in cells
  unsigned thread = 0;       // that read them
};

// Sorts the cells of a row by column. One per thread.
class RowSorter {
 public:
  explicit RowSorter(u64 width);
  // Sorts the cells from `begin` on; those of one column become one, with the sum of their values.
  void sort(std::vector<Cell>& cells, size_t begin);

 private:
  // Narrow rows: a row is written into `values_` and its columns marked in `bits_`, whose words
  // that are not 0 are marked in `blocks_`: reading the marks gives the columns in order, without
  // comparing any.
  std::vector<int32_t> values_;
  std::vector<u64> bits_, blocks_;
  void sort_by_bits(std::vector<Cell>& cells, size_t begin);
  // Wide ones: cells go into about as many buckets as there are cells, by their columns' first
  // bits.
  int width_bits_;
  std::vector<u32> ends_;  // of the buckets
  std::vector<Cell> scratch_;
  void sort_by_buckets(std::span<Cell> cells);
};

// Compressed sparse rows: row i has the columns and values from ends[i] to ends[i + 1].
template <class Value>
struct Csr {
  std::vector<int64_t> ends;
  RawVector<int32_t> columns;
  RawVector<Value> values;
};

// Joins all pieces to one CSR matrix; put(cells, out) writes the values of a row. Empties the
// pieces.
template <class Value, class Put>
Csr<Value> joined(std::vector<CellRows>&& pieces, unsigned threads, Put put) {
  Csr<Value> out;
  std::vector<size_t> row(pieces.size() + 1), cell(pieces.size() + 1);
  for (size_t i = 0; i < pieces.size(); ++i) {
    row[i + 1] = row[i] + pieces[i].ends.size();
    cell[i + 1] = cell[i] + pieces[i].cells.size();
  }
  out.ends.resize(row.back() + 1);
  out.columns.resize(cell.back());
  out.values.resize(cell.back());
  const auto write = [&](char, size_t i, unsigned) {
    const CellRows piece = std::move(pieces[i]);
    size_t begin = 0;
    for (size_t r = 0; r < piece.ends.size(); ++r) {
      const size_t end = piece.ends[r], at = cell[i] + begin;
      for (size_t k = begin; k < end; ++k)
        out.columns[cell[i] + k] = int32_t(piece.cells[k].column);
      put(std::span(piece.cells).subspan(begin, end - begin), out.values.data() + at);
      out.ends[row[i] + r + 1] = int64_t(cell[i] + end);
      begin = end;
    }
  };
  on_pieces(pieces.size(), threads, [](unsigned) { return char{}; }, write);
  return out;
}

}  // namespace nabi
