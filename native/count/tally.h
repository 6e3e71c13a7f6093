// Tally: counters of one feature space for the current class, and the counts of earlier classes.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "platform/huge_pages.h"
#include "vocabulary/word_table.h"

namespace nabi {

// Counters of the current class, by feature; those that are not zero are listed.
struct Counters {
  HugeVector<u64> now;
  std::vector<u32> touched;

  NABI_HOT void add(u32 id, u64 units) {
    if (id >= now.size()) [[unlikely]]
      now.resize(std::max<size_t>(size_t{id} + 1, now.size() * 2));
    const u64 before = now[id];
    if (!before) touched.push_back(id);
    now[id] = before + units;
  }
  // Adds to several features, kNone among them; returns how many there were.
  NABI_HOT size_t add_all(const u32* ids, size_t n, u64 units) {
    size_t added = n;
    for (size_t i = 0; i < n; ++i) {
      // In registers: most features have been touched before.
      u64* const values = now.data();
      for (const size_t size = now.size(); i < n && ids[i] < size && values[ids[i]]; ++i)
        values[ids[i]] += units;
      if (i == n) break;
      if (ids[i] == kNone)
        --added;
      else
        add(ids[i], units);
    }
    return added;
  }
};

// Counts of features, run by run; each run belongs to a class.
struct Runs {
  struct Run {
    u32 cls;
    size_t end;  // in ids and counts
  };
  std::vector<Run> runs;
  std::vector<u32> ids;
  std::vector<u64> counts;

  // Writes a run of what the counters hold, which are zero again then.
  void append(u32 cls, Counters& counters) {
    if (counters.touched.empty()) return;
    for (const u32 id : counters.touched) {
      ids.push_back(id);
      counts.push_back(counters.now[id]);
      counters.now[id] = 0;
    }
    counters.touched.clear();
    runs.push_back({cls, ids.size()});
  }
  // Makes one run of those of each class, classes ascending. The counters must be zero.
  void join(Counters& counters) {
    const auto ascends = [](const Run& a, const Run& b) { return a.cls >= b.cls; };
    if (std::adjacent_find(runs.begin(), runs.end(), ascends) == runs.end()) return;
    const Runs old = std::exchange(*this, {});
    std::vector<size_t> order(old.runs.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return old.runs[a].cls < old.runs[b].cls; });
    for (size_t i = 0; i < order.size(); ++i) {
      const size_t run = order[i];
      const u32 cls = old.runs[run].cls;
      for (size_t j = run ? old.runs[run - 1].end : 0; j < old.runs[run].end; ++j)
        counters.add(old.ids[j], old.counts[j]);
      if (i + 1 == order.size() || old.runs[order[i + 1]].cls != cls) append(cls, counters);
    }
  }
  // Joins the runs where they have become twice as many cells as when they were last joined. In a
  // stream a class comes again and again.
  void join_if_many(Counters& counters, size_t few) {
    if (ids.size() < std::max(few, 2 * joined_)) return;
    join(counters);
    joined_ = ids.size();
  }
  void clear() {
    runs.clear();
    ids.clear();
    counts.clear();
    joined_ = 0;
  }

 private:
  size_t joined_ = 0;  // cells after joining
};

struct Tally {
  Counters counters;
  Runs runs;
  std::vector<u32> stamp;  // the document that last counted here, for binary counts

  // Whether the document has not counted here before.
  NABI_HOT bool first(u32 id, u32 document) {
    if (id >= stamp.size()) [[unlikely]]
      stamp.resize(std::max<size_t>(size_t{id} + 1, stamp.size() * 2), kNone);
    const bool is_first = stamp[id] != document;
    stamp[id] = document;
    return is_first;
  }
  void close(u32 cls) {
    constexpr size_t kFew = limit(size_t{1} << 20, 8);
    runs.append(cls, counters);
    runs.join_if_many(counters, kFew);
  }
};

}  // namespace nabi
