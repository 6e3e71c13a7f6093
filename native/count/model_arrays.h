// Conversion of a count table to the flat arrays of a model file, sorted by name.
#pragma once

#include "count/count_table.h"

namespace nabi {

struct ModelArrays {
  RawVector<u8> words;          // names end to end
  RawVector<u64> word_offsets;  // one more than there are features
  std::vector<u32> features;    // id of each in the table
  Cells cells;
};

// class_rank[c]: index of class c in the file; kNone for a class that was removed.
ModelArrays to_arrays(const CountTable& table, std::span<const u32> class_rank,
                      unsigned threads = 1);

// The index of each name among a file's sorted words; -1 where it is not there. The words may be
// hostile: only what is looked at is checked, and std::invalid_argument is thrown then.
template <class Offset>
std::vector<int64_t> locate(std::span<const u8> words, std::span<const Offset> word_offsets,
                            std::span<const u8> names, std::span<const u64> name_offsets);

}  // namespace nabi
