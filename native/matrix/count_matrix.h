// Document-term matrix of counts (CountVectorizer): documents are rows, features are columns.
#pragma once

#include "matrix/csr.h"
#include "unicode/texts.h"
#include "vocabulary/vocabulary.h"

namespace nabi {

// The columns are the features of the texts in the order of their names.
struct LearnedMatrix {
  Csr<int64_t> rows;
  Vocabulary::Names names;
  u64 repaired;  // texts
};
LearnedMatrix learn_matrix(const Texts& texts, const Recipe& recipe, unsigned threads);

// Features known beforehand, and the column of each.
struct KnownFeatures {
  // Names that no text can have are left out.
  KnownFeatures(const Recipe& recipe, const Texts& names, std::span<const u32> columns);
  Vocabulary vocabulary;
  std::array<std::vector<u32>, kSpaces> columns;  // kNone: only the beginning of another
  u64 width;
};
struct Matrix {
  Csr<int64_t> rows;
  u64 repaired;
};
Matrix known_matrix(const Texts& texts, const KnownFeatures& known, unsigned threads);

}  // namespace nabi
