// Function new_features: how many features groups of texts have that are not counted yet.
#include "count/new_features.h"

#include <shared_mutex>

#include "bindings/batch.h"
#include "bindings/table.h"

namespace nabi {

void bind_new_features(nb::module_& m) {
  m.def(
      "new_features",
      [](const Table& table, const Batch& batch, In<u64> ends) {
        std::vector<u64> found;
        {
          const Unlocked unlocked;
          const std::shared_lock reading(table.mutex);
          found = new_features(table.table, batch.texts, span(ends));
        }
        return give(std::move(found));
      },
      "table"_a, "batch"_a, "ends"_a);
}

}  // namespace nabi
