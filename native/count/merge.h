// Sums of the sorted features of several model files, one range of names at a time: memory follows
// the range, not the files.
#pragma once

#include <mutex>
#include <stdexcept>
#include <vector>

#include "count/stored_counts.h"
#include "tokenize/recipe.h"

namespace nabi {

// The counts of one file, and the class of the sum that each class of the file is.
struct SortedCounts : StoredCounts {
  std::vector<u32> class_map;
};

// What is wrong with which file.
struct BrokenFile : std::invalid_argument {
  BrokenFile(size_t f, const char* what) : std::invalid_argument(what), file(f) {}
  size_t file;
};

// The sum of all features from one name to another.
struct MergedRange {
  std::vector<u8> words;                    // names end to end
  std::vector<u32> word_sizes, cell_sizes;  // of each feature
  std::vector<u32> classes;
  std::vector<u64> counts;
};

class SortedMerge {
 public:
  // Features of fewer than `floor` counts in all, in fixed point, are left out.
  SortedMerge(const Recipe& recipe, u32 n_classes, u64 floor)
      : recipe_(recipe), n_classes_(n_classes), floor_(floor), tokens_(n_classes) {}

  // Throws BrokenFile where its arrays do not fit together.
  void add(SortedCounts&& file);
  // Cuts the names into ranges that take about so many bytes in the files. In three steps, so that
  // memory that a file takes can be let go before more of it is read: `sample` each file, `cut`,
  // which returns how many ranges there are, and `place` the cuts in each file. The first and the
  // last are done piece by piece, in order.
  void sample(size_t file, u64 bytes, u64 piece, u64 pieces);
  size_t cut(u64 bytes);
  void place(size_t file, u64 piece, u64 pieces);
  // The sum of one range, for any thread. Checks all that it reads: throws BrokenFile, and
  // std::overflow_error where the sums are too large.
  MergedRange range(size_t i);

  // What all ranges so far have seen. Of the sums, those of features below the floor included:
  std::vector<u64> tokens() const { return tokens_; }  // by class
  // Of each file.
  const std::vector<SeenNumbers>& seen() const { return seen_; }

 private:
  struct Cursor;
  class Tournament;
  struct Sums;
  std::span<const u8> name(size_t file, u64 row) const;
  u64 row_of(size_t file, std::span<const u8> name) const;
  Cursor cursor(size_t file, size_t range) const;
  void advance(Cursor& cursor) const;
  void take_cells(const Cursor& cursor, Sums& sums) const;
  void put(std::span<const u8> name, Sums& sums, MergedRange& out, size_t file) const;
  void note(const Sums& sums);

  const Recipe recipe_;
  const u32 n_classes_;
  const u64 floor_;
  std::vector<SortedCounts> files_;
  std::vector<std::vector<u8>> samples_;
  std::vector<std::vector<u8>> cuts_;     // the first name of each range; none of the first
  std::vector<std::vector<u64>> starts_;  // by range and file: its first row; and the ends
  std::mutex mutex_;                      // of what follows
  std::vector<u64> tokens_;
  std::vector<SeenNumbers> seen_;
  u64 all_ = 0;  // tokens of all classes
};

}  // namespace nabi
