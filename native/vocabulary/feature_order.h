// Features of a vocabulary, sorted by name.
#pragma once

#include "vocabulary/vocabulary.h"

namespace nabi {

// Features, by their index in Vocabulary::names(), in the order of their names. Words and n-grams
// that are shorter than the recipe asks for, and are only prefixes of others, are left out.
std::vector<u32> in_order(const Vocabulary& vocabulary, unsigned threads);

}  // namespace nabi
