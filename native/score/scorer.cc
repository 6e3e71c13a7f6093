// Scoring texts on several threads, with sparse or dense rows of weights.
#include "score/scorer.h"

#include <atomic>
#include <limits>
#include <stdexcept>

#include "platform/threads.h"
#include "vocabulary/extractor.h"

namespace nabi {

template <bool kDense, bool kBinary>
class Scorer::Sink {
 public:
  static constexpr bool kTraces = false, kStreams = false;

  Sink(const Scorer& scorer, const std::vector<double>& bias)
      : s_(scorer), bias_(bias), sums_(std::max<size_t>(8, width())) {
    if (kBinary) stamps_.resize(s_.w_.known.size(), kNone);
    if (!kDense) hard_.resize(s_.w_.hard_bias.size());
  }

  void start() {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    std::fill(hard_.begin(), hard_.end(), 0);
    n_ = shared_ = 0;
    hard_shared_ = 0;
    ++document_;
  }

  template <Space kSpace>
  void add(u32 id) {
    if (id >= s_.size_[kSpace]) return;
    const size_t f = s_.base_[kSpace] + id;
    if constexpr (kBinary) {
      if (stamps_[f] == document_) return;
      stamps_[f] = document_;
    }
    kDense ? add_dense(f) : add_sparse(f);
  }

  template <Space kSpace>
  void prefetch(u32 id) {
    if constexpr (kDense)
      nabi::prefetch(s_.dense_.data(), (s_.base_[kSpace] + id) * s_.stride_);
    else
      nabi::prefetch(s_.w_.offsets.data(), s_.base_[kSpace] + id);
  }

  // The scores of the text; `out` holds one number for each class.
  void finish(double* out) {
    const Weights& w = s_.w_;
    const size_t n_classes = w.bias.size();
    if (kDense) {
      n_ = sums_[n_classes];
      shared_ = sums_[n_classes + 1];
    }
    for (size_t c = 0; c < n_classes; ++c)
      out[c] = ((bias_[c] + n_ * w.slope[c]) + shared_) + sums_[c];
    for (size_t c = 0; c < hard_.size(); ++c)
      if (w.hard_bias[c] + hard_shared_ + hard_[c] > 0)
        out[c] = -std::numeric_limits<double>::infinity();
  }
  // n(d), once it is finished.
  double length() const { return n_; }

 private:
  size_t width() const { return kDense ? s_.stride_ : s_.w_.bias.size(); }

  void add_dense(size_t f) {
    double* const sums = sums_.data();
    const double* const row = s_.dense_.data() + f * s_.stride_;
    if (s_.stride_ == 4) {  // two classes
      for (int i = 0; i < 4; ++i) sums[i] += row[i];
    } else {
      for (size_t i = 0; i < s_.stride_; ++i) sums[i] += row[i];
    }
  }

  void add_sparse(size_t f) {
    const Weights& w = s_.w_;
    if (!w.known[f]) return;
    n_ += 1;
    if (!w.shared.empty()) shared_ += w.shared[f];
    for (size_t i = w.offsets[f]; i < w.offsets[f + 1]; ++i) sums_[w.classes[i]] += w.cells[i];
    if (hard_.empty()) return;
    hard_shared_ += w.hard_shared[f];
    for (size_t i = w.offsets[f]; i < w.offsets[f + 1]; ++i) hard_[w.classes[i]] += w.hard_cells[i];
  }

  const Scorer& s_;
  const std::vector<double>& bias_;  // with the prior
  std::vector<double> sums_;
  std::vector<int64_t> hard_;
  std::vector<u32> stamps_;
  u32 document_ = 0;
  double n_ = 0, shared_ = 0;
  int64_t hard_shared_ = 0;
};

Scorer::Scorer(const Vocabulary& vocabulary, Weights weights)
    : vocabulary_(vocabulary), w_(std::move(weights)) {
  size_t base = 0;
  for (int s = 0; s < kSpaces; ++s) {
    base_[s] = base;
    size_[s] = vocabulary.size(Space(s));
    base += size_[s];
  }
  check();
  make_dense();
}

void Scorer::check() const {
  const size_t features = base_[kChars] + size_[kChars], n_classes = w_.bias.size();
  bool fits = w_.slope.size() == n_classes && w_.known.size() == features &&
              w_.offsets.size() == features + 1 && w_.offsets.front() == 0 &&
              w_.offsets.back() == w_.cells.size() && w_.classes.size() == w_.cells.size() &&
              (w_.shared.empty() || w_.shared.size() == features);
  if (!w_.hard_bias.empty())
    fits = fits && w_.hard_bias.size() == n_classes && w_.hard_shared.size() == features &&
           w_.hard_cells.size() == w_.cells.size();
  for (size_t f = 0; fits && f < features; ++f) fits = w_.offsets[f] <= w_.offsets[f + 1];
  for (size_t i = 0; fits && i < w_.classes.size(); ++i) fits = w_.classes[i] < n_classes;
  if (!fits) throw std::invalid_argument("weights that do not fit the vocabulary");
}

// Few classes, or a table so full that a row of all classes costs little more than its cells.
void Scorer::make_dense() {
  constexpr size_t kSmall = size_t{4} << 20;
  const size_t n_classes = w_.bias.size(), features = w_.known.size();
  const size_t stride = (n_classes + 3) / 2 * 2;
  const size_t bytes = stride * features * sizeof(double);
  if (!w_.hard_bias.empty() || (bytes > kSmall && bytes > 48 * w_.cells.size())) return;
  stride_ = stride;
  dense_.assign(stride * features, 0.0);
  for (size_t f = 0; f < features; ++f) {
    if (!w_.known[f]) continue;
    double* const row = dense_.data() + f * stride;
    for (size_t i = w_.offsets[f]; i < w_.offsets[f + 1]; ++i) row[w_.classes[i]] = w_.cells[i];
    row[n_classes] = 1;
    if (!w_.shared.empty()) row[n_classes + 1] = w_.shared[f];
  }
  w_.cells = {};
  w_.classes = {};
  w_.offsets = {};
}

template <bool kDense, bool kBinary, class Each>
Seen Scorer::run(const Texts& texts, const std::vector<double>& bias, unsigned threads,
                 Each each) const {
  const Pieces pieces = cut(texts.size(), [&](size_t i) -> const Text& { return texts[i]; });
  threads = unsigned(std::max<size_t>(1, std::min<size_t>(threads, pieces.ends.size())));
  std::atomic<size_t> next{0};
  std::atomic<u64> missing{0}, repaired{0};
  on_threads(threads, [&](unsigned) {
    Sink<kDense, kBinary> sink(*this, bias);
    Extractor<false, Sink<kDense, kBinary>> extractor(vocabulary_, sink, texts.stems.get());
    TextReader reader;
    for (size_t piece; (piece = next++) < pieces.ends.size();) {
      for (size_t i = piece ? pieces.ends[piece - 1] : 0; i < pieces.ends[piece]; ++i) {
        sink.start();
        extractor.run(reader.read(texts[i]));
        each(i, sink);
      }
    }
    missing += reader.missing;
    repaired += reader.repaired;
  });
  return {missing, repaired};
}

template <class Each>
Seen Scorer::each_text(const Texts& texts, std::span<const double> prior, unsigned threads,
                       Each each) const {
  if (prior.size() != classes()) throw std::invalid_argument("a prior that does not fit");
  std::vector<double> bias = w_.bias;
  for (size_t c = 0; c < bias.size(); ++c) bias[c] += prior[c];
  const bool binary = vocabulary_.recipe.binary;
  if (stride_)
    return binary ? run<true, true>(texts, bias, threads, each)
                  : run<true, false>(texts, bias, threads, each);
  return binary ? run<false, true>(texts, bias, threads, each)
                : run<false, false>(texts, bias, threads, each);
}

Seen Scorer::joint(const Texts& texts, std::span<const double> prior, unsigned threads, double* out,
                   double* lengths) const {
  return each_text(texts, prior, threads, [&](size_t i, auto& sink) {
    sink.finish(out + i * classes());
    lengths[i] = sink.length();
  });
}

Seen Scorer::best(const Texts& texts, std::span<const double> prior, unsigned threads,
                  u32* out) const {
  return each_text(texts, prior, threads, [&](size_t i, auto& sink) {
    thread_local std::vector<double> scores;
    scores.resize(classes());
    sink.finish(scores.data());
    u32 best = kNone;
    double most = -std::numeric_limits<double>::infinity();
    for (u32 c = 0; c < scores.size(); ++c) {
      if (scores[c] > most) {
        most = scores[c];
        best = c;
      }
    }
    out[i] = best;
  });
}

}  // namespace nabi
