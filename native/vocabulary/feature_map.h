// Maps of feature ids from one vocabulary to another, for merging counts of threads or models.
#pragma once

#include <array>
#include <vector>

#include "vocabulary/vocabulary.h"

namespace nabi {

// By space and id of `from`: the id in `to`, or kNone where `to` does not have the feature.
using FeatureMap = std::array<std::vector<u32>, kSpaces>;

// Adds the words of `from` from the id `begin` on to `to`, and their ids there to `ids`.
void add_words(const WordTable& from, u32 begin, WordTable& to, std::vector<u32>& ids);
// Adds the features of `from` that `to` does not have yet.
FeatureMap merge_vocabulary(const Vocabulary& from, Vocabulary& to, unsigned threads = 1);
// Lets a map lead on to where another leads from there.
void through(FeatureMap& map, const FeatureMap& next);
// Adds nothing.
FeatureMap find_vocabulary(const Vocabulary& from, const Vocabulary& to);

}  // namespace nabi
