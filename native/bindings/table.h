// A table of counts with its lock: many may read while nobody writes.
#pragma once

#include <shared_mutex>

#include "../count_table.h"

namespace nabi {

struct Table {
  explicit Table(CountTable&& t) : table(std::move(t)) {}
  CountTable table;
  mutable std::shared_mutex mutex;
};

}  // namespace nabi
