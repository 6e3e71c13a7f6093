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

// Throws where there is not a class for each text.
inline void check_classes(const Batch& batch, const In<u32>& classes, u32 n_classes) {
  bool fits = classes.size() == batch.texts.size() && batch.texts.size() < kNone;
  for (const u32 c : span(classes)) fits = fits && c < n_classes;
  if (!fits) throw std::invalid_argument("classes that do not fit the texts");
}

// Throws likewise, and where there is not a weight (or no weights at all) for each text.
inline void check_countable(const Batch& batch, const In<u32>& classes, u32 n_classes,
                            const In<u64>& units) {
  check_classes(batch, classes, n_classes);
  if (units.size() != 0 && units.size() != batch.texts.size())
    throw std::invalid_argument("weights that do not fit the texts");
}

}  // namespace nabi
