// Scorer: scores of texts by naive Bayes weights.
//   score(d, c) = bias(c) + n(d) slope(c) + sum over known features f of shared(f) + cell(f, c)
// with n(d) the number of known features of d. Only stored cells are touched. Sums run in the order
// of the text, whatever the ids are: the last bit depends on the text alone.
#pragma once

#include <span>

#include "unicode/texts.h"
#include "vocabulary/vocabulary.h"

namespace nabi {

struct Weights {
  std::vector<double> bias, slope;  // by class
  // By feature, ordered by space and id.
  std::vector<u8> known;       // 0: left out, as if never seen
  std::vector<double> shared;  // empty: none
  std::vector<u64> offsets;    // of each feature's first cell
  std::vector<u32> classes;    // of each cell
  std::vector<double> cells;
  // Where probabilities may be zero: a class is impossible (-inf) when
  // hard_bias(c) + sum of hard_shared(f) + hard_cell(f, c) is above 0. Empty: none.
  std::vector<int64_t> hard_bias;
  std::vector<u8> hard_shared;
  std::vector<int8_t> hard_cells;
};

class Scorer {
 public:
  // The ids of the weights are those of `vocabulary`, which must outlive the scorer; features it
  // gets later are unknown. Throws std::invalid_argument where the sizes do not fit.
  Scorer(const Vocabulary& vocabulary, Weights weights);

  size_t classes() const { return w_.bias.size(); }
  // The joint log likelihoods, one row of classes() numbers for each text, and n(d) of each.
  // `prior`: log P(c).
  Seen joint(const Texts& texts, std::span<const double> prior, unsigned threads, double* out,
             double* lengths) const;
  // The best class of each text; kNone where every class is impossible.
  Seen best(const Texts& texts, std::span<const double> prior, unsigned threads, u32* out) const;

 private:
  template <bool kDense, bool kBinary>
  class Sink;
  template <class Each>
  Seen each_text(const Texts& texts, std::span<const double> prior, unsigned threads,
                 Each each) const;
  template <bool kDense, bool kBinary, class Each>
  Seen run(const Texts& texts, const std::vector<double>& bias, unsigned threads, Each each) const;
  void check() const;
  void make_dense();

  const Vocabulary& vocabulary_;
  Weights w_;
  size_t base_[kSpaces], size_[kSpaces];  // of each space's features
  // Few classes: for each feature its cells, 1 if known, and what it shares; stride_ numbers.
  size_t stride_ = 0;
  HugeVector<double> dense_;
};

}  // namespace nabi
