// Documents to a document-term matrix: a row for each document, a column for each feature.
#pragma once

#include "matrix/csr.h"
#include "unicode/texts.h"
#include "vocabulary/vocabulary.h"

namespace nabi {

// Only recipes whose features have names that no separator can be confused in: words as `sklearn`
// cuts them, or characters.
void check_matrix_recipe(const Recipe& recipe);

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

// scikit-learn's FeatureHasher: the column and the sign of a feature are a hash of its name.
struct Hashing {
  enum Norm : u8 { kNone, kL1, kL2 };
  u32 width;
  bool signs, binary;
  Norm norm;
};
struct HashedMatrix {
  Csr<double> rows;
  u64 repaired;
};
HashedMatrix hashed_matrix(const Texts& texts, const Recipe& recipe, const Hashing& hashing,
                           unsigned threads);

}  // namespace nabi
