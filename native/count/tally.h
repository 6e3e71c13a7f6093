// Tally: counters of one feature space for the current class, and the counts of earlier classes.
#pragma once

#include <algorithm>
#include <vector>

#include "vocabulary/word_table.h"

namespace nabi {

struct Tally {
  std::vector<u64> now;
  std::vector<u32> touched;
  std::vector<u32> stamp;  // the document that last counted here, for binary counts
  struct Run {
    u32 cls;
    size_t end;  // in ids and counts
  };
  std::vector<Run> runs;  // classes ascending
  std::vector<u32> ids;
  std::vector<u64> counts;

  NABI_HOT void add(u32 id, u64 units) {
    if (id >= now.size()) [[unlikely]]
      widen(id);
    const u64 before = now[id];
    if (!before) touched.push_back(id);
    now[id] = before + units;
  }
  // Whether the document has not counted here before.
  NABI_HOT bool first(u32 id, u32 document) {
    if (id >= stamp.size()) [[unlikely]]
      stamp.resize(std::max<size_t>(size_t{id} + 1, stamp.size() * 2), kNone);
    const bool is_first = stamp[id] != document;
    stamp[id] = document;
    return is_first;
  }
  // Ends the class: writes its counts out.
  void close(u32 cls) {
    if (touched.empty()) return;
    for (const u32 id : touched) {
      ids.push_back(id);
      counts.push_back(now[id]);
      now[id] = 0;
    }
    touched.clear();
    runs.push_back({cls, ids.size()});
  }

 private:
  void widen(u32 id) { now.resize(std::max<size_t>(size_t{id} + 1, now.size() * 2)); }
};

}  // namespace nabi
