// The features of a vocabulary in the order of their names.
#pragma once

#include "vocabulary/vocabulary.h"

namespace nabi {

// Numbers as Vocabulary::names() gives them. Left out are words and n-grams that are shorter than
// the recipe asks for, and only begin others. No word may hold a byte up to the space that joins
// them.
std::vector<u32> in_order(const Vocabulary& vocabulary, unsigned threads);

}  // namespace nabi
