// Features of a vocabulary, sorted by name.
#pragma once

#include "vocabulary/vocabulary.h"

namespace nabi {

// Features, by their index in Vocabulary::names(), in the order of their names; of word n-grams and
// words those of at least so many words.
std::vector<u32> in_order(const Vocabulary& vocabulary, u32 least, unsigned threads);

}  // namespace nabi
