// Trace: where in a text each feature comes from, for explanations.
#pragma once

#include "unicode/texts.h"
#include "vocabulary/vocabulary.h"

namespace nabi {

struct Traced {
  Vocabulary vocabulary;        // the text's features alone
  std::vector<u32> features;    // one for each occurrence, ordered by space and id
  std::vector<u64> begin, end;  // in code points of the text
};

// `stems`: of the words of the text, if any.
Traced trace(const Text& text, const Recipe& recipe, const Stems* stems = nullptr);

}  // namespace nabi
