// From the sorted arrays of a model file to a count table, by all threads.
#pragma once

#include "count/count_table.h"
#include "count/stored_counts.h"

namespace nabi {

struct Loaded {
  CountTable table;
  SeenNumbers seen;
};

// Checks everything: throws std::invalid_argument saying what is wrong.
Loaded from_arrays(const Recipe& recipe, const StoredCounts& stored, std::span<const u64> docs,
                   unsigned threads = 1);

}  // namespace nabi
