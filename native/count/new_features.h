// How many features texts have that are not counted yet.
#pragma once

#include <span>
#include <vector>

#include "count/count_table.h"
#include "unicode/texts.h"

namespace nabi {

// Of each group of texts how many different features have no count; the group i ends where
// ends[i] says. Throws std::invalid_argument where the ends do not fit.
std::vector<u64> new_features(const CountTable& counted, const Texts& texts,
                              std::span<const u64> ends);

}  // namespace nabi
