// Hashed document-term matrix: a feature's column is a hash of its name (HashingVectorizer).
#pragma once

#include "matrix/csr.h"
#include "tokenize/recipe.h"
#include "unicode/texts.h"

namespace nabi {

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
