// Count table: how often each feature was seen in each class, in fixed point (units of 2^-24).
// Counts are integers, so tables add and subtract exactly. Only counts above zero are stored.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "platform/fixed_point.h"
#include "vocabulary/vocabulary.h"

namespace nabi {

// For each feature of a space, its classes (ascending) and counts.
class Rows {
 public:
  // Where the cells of a row are: n from `at` on, with room for more.
  struct Row {
    u64 at;
    u32 n, room;
  };

  Rows() = default;
  // Rows end to end.
  Rows(std::vector<Rows>&& parts, unsigned threads);
  // Rows of some of the cells, `full` of which have any.
  Rows(RawVector<Row>&& rows, u64 full, RawVector<u32>&& classes, RawVector<u64>&& counts)
      : rows_(std::move(rows)),
        classes_(std::move(classes)),
        counts_(std::move(counts)),
        full_(full) {}

  size_t size() const { return rows_.size(); }
  u64 full() const { return full_; }  // how many rows have a cell
  std::span<const u32> classes(u32 id) const {
    return {classes_.data() + rows_[id].at, rows_[id].n};
  }
  std::span<const u64> counts(u32 id) const { return {counts_.data() + rows_[id].at, rows_[id].n}; }
  // Some time before a row is read, and, when that has come, its cells.
  NABI_HOT void prefetch(u32 id) const { nabi::prefetch(rows_.data(), id); }
  NABI_HOT void prefetch_cells(u32 id) const {
    if (empty(id)) return;
    nabi::prefetch(classes_.data(), rows_[id].at);
    nabi::prefetch(counts_.data(), rows_[id].at);
  }
  bool empty(u32 id) const { return id >= rows_.size() || rows_[id].n == 0; }

  u64 count(u32 id, u32 cls) const;  // 0 where there is none
  void add(u32 id, u32 cls, u64 units);
  // The count must be there.
  void subtract(u32 id, u32 cls, u64 units);

  // Makes all rows at once: `cells` calls take(id, class, units), classes ascending; it is run
  // twice, and several cells of one feature and class add up.
  template <class Cells>
  void build(size_t n, Cells cells);

 private:
  size_t position(const Row& row, u32 cls) const;  // the first cell that is not before cls
  void widen(Row& row);

  RawVector<Row> rows_;
  RawVector<u32> classes_;
  RawVector<u64> counts_;
  u64 full_ = 0;
};

template <class Cells>
void Rows::build(size_t n, Cells cells) {
  rows_.assign(n, Row{});
  std::vector<u32> last(n, kNone);
  cells([&](u32 id, u32 cls, u64) {
    if (last[id] != cls) ++rows_[id].room;
    last[id] = cls;
  });
  u64 at = 0;
  full_ = 0;
  for (Row& row : rows_) {
    row.at = at;
    at += row.room;
    full_ += row.room != 0;
  }
  classes_.resize(at);
  counts_.resize(at);
  cells([&](u32 id, u32 cls, u64 units) {
    Row& row = rows_[id];
    const u64 end = row.at + row.n;
    if (row.n && classes_[end - 1] == cls) {
      counts_[end - 1] += units;
    } else {
      classes_[end] = cls;
      counts_[end] = units;
      ++row.n;
    }
  });
}

// Where a table's cells are, feature by feature in the order of space and id.
struct Cells {
  RawVector<u64> offsets;  // of each feature's first cell
  RawVector<u32> classes;
  RawVector<u64> counts;
};

class CountTable {
 public:
  explicit CountTable(const Recipe& recipe) : vocabulary(recipe) {}

  Vocabulary vocabulary;
  std::array<Rows, kSpaces> rows;
  std::vector<u64> docs, tokens;  // by class

  // class_map[c] is the own class of the other's class c; classes beyond docs.size() are new.
  void add(const CountTable& other, std::span<const u32> class_map);
  // Takes the other's counts away. Where this holds less, nothing changes and the name of the
  // first such feature comes back (empty for a class with too few documents or tokens).
  std::optional<std::vector<u8>> subtract(const CountTable& other, std::span<const u32> class_map);

  // All cells; with `class_rank`, class c is class_rank[c] there.
  Cells cells(std::span<const u32> class_rank = {}, unsigned threads = 1) const;
  // The cells of the features of these names, in the order of the names; none for unknown ones.
  Cells find(std::span<const u8> bytes, std::span<const u64> offsets) const;
  // How many features have a count.
  u64 features() const;

 private:
  void widen(size_t classes);
};

}  // namespace nabi
