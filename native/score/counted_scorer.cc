// Scoring a text by the cells of its features.
#include "score/counted_scorer.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "vocabulary/extractor.h"

namespace nabi {

class CountedScorer::Sink {
 public:
  static constexpr bool kTraces = false, kStreams = false;

  explicit Sink(const CountedScorer& scorer) : s_(scorer), sums_(scorer.classes() + 1) {}

  template <Space kSpace>
  void add(u32 id) {
    const Rows& rows = s_.table_.rows[kSpace];
    if (rows.empty(id)) return;
    n_ += 1;
    const auto classes = rows.classes(id);
    const auto counts = rows.counts(id);
    for (size_t i = 0; i < classes.size(); ++i)
      sums_[s_.place_[classes[i]]] += s_.log_ratio(counts[i]);
  }
  template <Space kSpace>
  void prefetch(u32 id) {
    if (id != kNone) s_.table_.rows[kSpace].prefetch(id);
  }

  void finish(double* out) const {
    const Weights& w = s_.w_;
    for (size_t c = 0; c < s_.classes(); ++c) out[c] = w.score(w.bias[c], c, n_, 0, sums_[c]);
  }

 private:
  const CountedScorer& s_;
  std::vector<double> sums_;
  double n_ = 0;
};

CountedScorer::CountedScorer(const CountTable& table, Weights weights, std::span<const u32> order,
                             double alpha)
    : table_(table),
      w_(std::move(weights)),
      place_(table.docs.size(), u32(w_.bias.size())),
      alpha_(alpha) {
  bool fits = alpha > 0 && w_.slope.size() == classes() && order.size() == classes() &&
              !table.vocabulary.recipe.binary;
  for (const u32 number : order) fits = fits && number < place_.size();
  if (!fits) throw std::invalid_argument("terms that do not fit the counts");
  for (size_t c = 0; c < order.size(); ++c) place_[order[c]] = u32(c);
}

double CountedScorer::log_ratio(u64 units) const {
  const double n = double(units) / double(kUnit), ratio = n / alpha_;
  return std::isinf(ratio) ? std::log(n) - std::log(alpha_) : std::log1p(ratio);
}

void CountedScorer::joint(const Text& text, double* out) const {
  if (place_.size() != table_.docs.size()) throw std::logic_error("the counts have changed");
  Sink sink(*this);
  Extractor<false, Sink> extractor(table_.vocabulary, sink);
  TextReader reader;
  extractor.run(reader.read(text));
  sink.finish(out);
}

}  // namespace nabi
