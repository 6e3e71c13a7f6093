// Words of all threads: each thread looks words up in a table of its own, and asks for the shared
// id of those that are new to it. So nothing is left to be merged in the end.
#pragma once

#include <mutex>

#include "vocabulary/feature_map.h"

namespace nabi {

class SharedWords {
 public:
  // Adds to `ids` until it has the shared id of each word of a thread's own table.
  void number(const WordTable& own, std::vector<u32>& ids) {
    if (own.size() == ids.size()) return;
    const std::lock_guard lock(mutex_);
    add_words(own, u32(ids.size()), words_, ids);
  }
  // The words, when no thread adds any more.
  WordTable take() { return std::move(words_); }

 private:
  std::mutex mutex_;
  WordTable words_;
};

}  // namespace nabi
