// Table: counts with a read-write lock.
#pragma once

#include "bindings/batch.h"
#include "count/count_table.h"
#include "platform/fork_mutex.h"

namespace nabi {

struct Table {
  explicit Table(CountTable&& t) : table(std::move(t)) {}
  CountTable table;
  mutable ForkMutex mutex;
};

// Throws where there is not a class and a weight (or no weights at all) for each text.
inline void check_countable(const Batch& batch, const In<u32>& classes, u32 n_classes,
                            const In<u64>& units) {
  const size_t n = batch.texts.size();
  bool fits = classes.size() == n && n < kNone && (units.size() == 0 || units.size() == n);
  for (const u32 c : span(classes)) fits = fits && c < n_classes;
  if (!fits) throw std::invalid_argument("classes or weights that do not fit the texts");
}

}  // namespace nabi
