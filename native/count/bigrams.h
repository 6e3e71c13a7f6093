// Bigram counts of a large batch, by hash partitioning. Millions of bigrams, counted in the order
// of the text, would each be a cache miss in one large table. So the texts' word ids are kept,
// their pairs are partitioned by hash, and each part is counted in a table that fits the cache.
// Parts share nothing, so threads need no merging.
#pragma once

#include "count/count_table.h"

namespace nabi {

// The words of the documents that one thread read.
struct WordStream {
  HugeVector<u32> ids;  // kNone after each document
  struct Run {
    u32 cls;
    size_t end;  // in ids
  };
  std::vector<Run> runs;  // classes ascending

  void end_document() { ids.push_back(kNone); }
  void close(u32 cls) {
    if (ids.size() > (runs.empty() ? 0 : runs.back().end)) runs.push_back({cls, ids.size()});
  }
};

// Counts the pairs of neighbouring words, each with kUnit (binary: once a document), into an empty
// space of n-grams. word_maps[t] takes the ids of stream t to the vocabulary's; empty: the same.
// Adds what was counted to `tokens`, by class.
void count_bigrams(std::vector<WordStream>& streams, const std::vector<std::vector<u32>>& word_maps,
                   bool binary, Vocabulary& vocabulary, Rows& rows, std::vector<u64>& tokens);

}  // namespace nabi
