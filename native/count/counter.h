// Counting a batch of texts to a count table, on several threads.
#pragma once

#include "count/workers.h"

namespace nabi {

// Counts texts: text i in class classes[i] (below n_classes) with weight units[i] (empty: weight
// 1).
Counted count(const Texts& texts, std::span<const u32> classes, u32 n_classes,
              std::span<const u64> units, const Recipe& recipe, unsigned threads,
              Fingerprint kind = Fingerprint::kFirst);

// Counts likewise, and keeps the bag of each document in `bags`.
Counted count_and_keep(const Texts& texts, std::span<const u32> classes, u32 n_classes,
                       std::span<const u64> units, const Recipe& recipe, unsigned threads,
                       Bags& bags, Fingerprint kind = Fingerprint::kFirst);

}  // namespace nabi
