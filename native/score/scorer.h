// Scorer: scores of texts by naive Bayes weights. Only stored cells are touched. Sums run in the
// order of the text, whatever the ids are: the last bit depends on the text alone.
#pragma once

#include <memory>
#include <mutex>
#include <span>

#include "score/bounds.h"
#include "unicode/texts.h"
#include "vocabulary/vocabulary.h"

namespace nabi {

class Scorer {
 public:
  // The ids of the weights are those of `vocabulary`, which must outlive the scorer; features it
  // gets later are unknown. Throws std::invalid_argument where the sizes do not fit.
  Scorer(const Vocabulary& vocabulary, const WeightSpans& weights, unsigned threads = 1);

  size_t classes() const { return w_.bias.size(); }
  // The joint log likelihoods, one row of classes() numbers for each text, and n(d) of each.
  // `prior`: log P(c).
  Seen joint(const Texts& texts, std::span<const double> prior, unsigned threads, double* out,
             double* lengths) const;
  // The best class of each text; kNone where every class is impossible.
  Seen best(const Texts& texts, std::span<const double> prior, unsigned threads, u32* out) const;

 private:
  template <bool kBinary>
  class Occurrences;
  template <bool kDense, bool kBinary>
  class Sink;
  template <bool kBinary>
  class BoundedSink;
  template <class Each>
  Seen each_text(const Texts& texts, std::span<const double> prior, unsigned threads,
                 Each each) const;
  template <class Make, class Each>
  Seen run(const Texts& texts, unsigned threads, Make make_sink, Each each) const;
  std::vector<double> with_prior(std::span<const double> prior) const;
  const Bounds* bounds(size_t texts) const;
  size_t features() const { return base_[kChars] + size_[kChars]; }
  void check(const WeightSpans& weights) const;
  bool make_dense(const WeightSpans& weights, unsigned threads);

  const Vocabulary& vocabulary_;
  Weights w_;                             // with dense rows, of classes alone
  size_t base_[kSpaces], size_[kSpaces];  // of each space's features
  // Few classes: for each feature its cells, 1 if known, and what it shares; stride_ numbers.
  size_t stride_ = 0;
  bool slim_ = false;  // rows of classes alone: all features are known, and share nothing
  RawVector<double> dense_;
  // Many classes: made for the first call with enough texts; null where they do not fit.
  mutable std::once_flag bounds_made_;
  mutable std::unique_ptr<const Bounds> bounds_;
};

}  // namespace nabi
