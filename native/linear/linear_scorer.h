// Linear scorer: scores of texts by the weights of a linear model.
//   score(d, c) = bias(c) + s(d) sum over known features f of x(f, d) weight(f, c)
// with x as in feature_sets.h, and s(d) = 1 / |x(f, d) scale(f)|, or 1. Sums run in the order of
// the text, whatever the ids are: the last bit depends on the text alone.
#pragma once

#include <span>

#include "unicode/texts.h"
#include "vocabulary/vocabulary.h"

namespace nabi {

struct LinearTerms {
  std::vector<float> weights;  // of each feature, ordered by space and id, column by column
  std::vector<float> scales;   // 0: left out, as if never seen
  std::vector<double> bias;    // by column
  bool normalised, logs;
};

class LinearScorer {
 public:
  // The ids are those of `vocabulary`, which must outlive the scorer; features it gets later are
  // unknown. Throws std::invalid_argument where the sizes do not fit.
  LinearScorer(const Vocabulary& vocabulary, LinearTerms terms);

  size_t columns() const { return terms_.bias.size(); }
  // A row of columns() numbers for each text.
  Seen score(const Texts& texts, unsigned threads, double* out) const;

 private:
  const Vocabulary& vocabulary_;
  LinearTerms terms_;
  size_t base_[kSpaces], size_[kSpaces];  // of each space's features
};

}  // namespace nabi
