// Scoring texts on several threads, with sparse or dense rows of weights.
#include "score/scorer.h"

#include <atomic>
#include <limits>
#include <stdexcept>

#include "platform/threads.h"
#include "vocabulary/extractor.h"

namespace nabi {

// The features of a text that the scorer has, in the order of the text.
template <bool kBinary>
class Scorer::Occurrences {
 public:
  explicit Occurrences(const Scorer& scorer) : s_(scorer) {
    if (kBinary) stamps_.resize(s_.features(), kNone);
  }

  void start() { ++document_; }

  // Calls use(f), f counted over all spaces; of a binary recipe once for a text.
  template <Space kSpace, class Use>
  NABI_HOT void add(u32 id, Use use) {
    if (id >= s_.size_[kSpace]) return;
    const size_t f = s_.base_[kSpace] + id;
    if constexpr (kBinary) {
      if (stamps_[f] == document_) return;
      stamps_[f] = document_;
    }
    use(f);
  }

 private:
  const Scorer& s_;
  std::vector<u32> stamps_;
  u32 document_ = 0;
};

template <bool kDense, bool kBinary>
class Scorer::Sink {
 public:
  static constexpr bool kTraces = false, kStreams = false;

  Sink(const Scorer& scorer, const std::vector<double>& bias)
      : s_(scorer), bias_(bias), occurrences_(scorer), sums_(std::max<size_t>(8, width())) {
    if (!kDense) hard_.resize(s_.w_.hard_bias.size());
  }

  void start() {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    std::fill(hard_.begin(), hard_.end(), 0);
    n_ = shared_ = 0;
    hard_shared_ = 0;
    occurrences_.start();
  }

  template <Space kSpace>
  void add(u32 id) {
    occurrences_.template add<kSpace>(id, [&](size_t f) { add_feature(f); });
  }
  // Sums of two or four numbers stay in registers: through memory, each addition would wait for the
  // store of the one before.
  template <Space kSpace>
  NABI_HOT void add_all(const u32* ids, size_t n) {
    if constexpr (kDense && !kBinary) {
      if (s_.stride_ == 2) return add_rows<kSpace, 1>(ids, n);
      if (s_.stride_ == 4) return add_rows<kSpace, 2>(ids, n);
    }
    for (size_t i = 0; i < n; ++i) add<kSpace>(ids[i]);
  }
  void add_feature(size_t f) { kDense ? add_dense(f) : add_sparse(f); }

  template <Space kSpace>
  NABI_HOT void prefetch(u32 id) {
    if constexpr (kDense)
      nabi::prefetch(s_.dense_.data(), (s_.base_[kSpace] + id) * s_.stride_);
    else
      nabi::prefetch(s_.w_.offsets.data(), s_.base_[kSpace] + id);
  }

  // The scores of the text; `out` holds one number for each class.
  void finish(double* out) {
    const Weights& w = s_.w_;
    const size_t n_classes = w.bias.size();
    if (kDense && !s_.slim_) {
      n_ = sums_[n_classes];
      shared_ = sums_[n_classes + 1];
    }
    for (size_t c = 0; c < n_classes; ++c) out[c] = w.score(bias_[c], c, n_, shared_, sums_[c]);
    for (size_t c = 0; c < hard_.size(); ++c)
      if (w.hard_bias[c] + hard_shared_ + hard_[c] > 0)
        out[c] = -std::numeric_limits<double>::infinity();
  }
  // n(d), once it is finished.
  double length() const { return n_; }
  // The best class; kNone where every class is impossible.
  u32 best() {
    scores_.resize(s_.classes());
    finish(scores_.data());
    u32 best = kNone;
    double most = -std::numeric_limits<double>::infinity();
    for (u32 c = 0; c < scores_.size(); ++c) {
      if (scores_[c] > most) {
        most = scores_[c];
        best = c;
      }
    }
    return best;
  }

 private:
  size_t width() const { return kDense ? s_.stride_ : s_.w_.bias.size(); }

  void add_dense(size_t f) {
    double* const sums = sums_.data();
    const double* const row = s_.dense_.data() + f * s_.stride_;
    if (s_.slim_) n_ += 1;
    for (size_t i = 0; i < s_.stride_; ++i) sums[i] += row[i];
  }
  // Rows of kTwos times two numbers.
  template <Space kSpace, int kTwos>
  NABI_HOT void add_rows(const u32* ids, size_t n) {
    typedef double Two __attribute__((vector_size(16)));
    const double* const rows = s_.dense_.data() + s_.base_[kSpace] * 2 * kTwos;
    const u32 size = u32(s_.size_[kSpace]);
    Two sums[kTwos], row[kTwos];
    std::memcpy(sums, sums_.data(), sizeof(sums));
    size_t known = 0;
    for (size_t i = 0; i < n; ++i) {
      if (ids[i] >= size) continue;
      std::memcpy(row, rows + size_t{ids[i]} * 2 * kTwos, sizeof(row));
      for (int j = 0; j < kTwos; ++j) sums[j] += row[j];
      ++known;
    }
    std::memcpy(sums_.data(), sums, sizeof(sums));
    if (s_.slim_) n_ += double(known);
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
  Occurrences<kBinary> occurrences_;
  std::vector<double> sums_, scores_;
  std::vector<int64_t> hard_;
  double n_ = 0, shared_ = 0;
  int64_t hard_shared_ = 0;
};

// Gathers the features of a text, and finds its best class by bounds.
template <bool kBinary>
class Scorer::BoundedSink {
 public:
  static constexpr bool kTraces = false, kStreams = false;

  BoundedSink(const Scorer& scorer, const Bounds& bounds, const Bounds::Base& base)
      : s_(scorer),
        bounds_(bounds),
        occurrences_(scorer),
        search_(bounds, base),
        plain_(scorer, base.bias) {}

  void start() {
    features_.clear();
    shared_ = 0;
    occurrences_.start();
  }

  template <Space kSpace>
  void add(u32 id) {
    occurrences_.template add<kSpace>(id, [&](size_t f) {
      if (!bounds_.known(f)) return;
      bounds_.prefetch_cells(f);
      features_.push_back(u32(f));
      if (!s_.w_.shared.empty()) shared_ += s_.w_.shared[f];
    });
  }
  template <Space kSpace>
  void prefetch(u32 id) {
    bounds_.prefetch_list(s_.base_[kSpace] + id);
  }

  u32 best() {
    u32 found;
    if (search_.best(features_, shared_, &found)) return found;
    plain_.start();
    for (const u32 f : features_) plain_.add_feature(f);
    return plain_.best();
  }

 private:
  const Scorer& s_;
  const Bounds& bounds_;
  Occurrences<kBinary> occurrences_;
  Bounds::Search search_;
  Sink<false, false> plain_;
  std::vector<u32> features_;
  double shared_ = 0;
};

Scorer::Scorer(const Vocabulary& vocabulary, const WeightSpans& weights, unsigned threads)
    : vocabulary_(vocabulary) {
  size_t base = 0;
  for (int s = 0; s < kSpaces; ++s) {
    base_[s] = base;
    size_[s] = vocabulary.size(Space(s));
    base += size_[s];
  }
  check(weights);
  if (!make_dense(weights, threads)) w_ = weights.copied();
}

void Scorer::check(const WeightSpans& w) const {
  const size_t n_classes = w.bias.size();
  bool fits = w.slope.size() == n_classes && w.known.size() == features() &&
              w.offsets.size() == features() + 1 && w.offsets.front() == 0 &&
              w.offsets.back() == w.cells.size() && w.classes.size() == w.cells.size() &&
              (w.shared.empty() || w.shared.size() == features());
  if (!w.hard_bias.empty())
    fits = fits && w.hard_bias.size() == n_classes && w.hard_shared.size() == features() &&
           w.hard_cells.size() == w.cells.size();
  if (fits) {
    for (size_t f = 0; f < features(); ++f) fits &= w.offsets[f] <= w.offsets[f + 1];
    for (const u32 cls : w.classes) fits &= cls < n_classes;
  }
  if (!fits) throw std::invalid_argument("weights that do not fit the vocabulary");
}

// Few classes, or a table so full that a row of all classes costs little more than its cells.
bool Scorer::make_dense(const WeightSpans& w, unsigned threads) {
  constexpr size_t kSmall = size_t{4} << 20;
  const size_t n_classes = w.bias.size();
  // A row ends with 1 and the shared weight, unless these are 1 and 0 for every feature: half the
  // memory for two classes.
  const bool slim =
      w.shared.empty() && std::find(w.known.begin(), w.known.end(), 0) == w.known.end();
  const size_t stride = slim ? (n_classes + 1) / 2 * 2 : (n_classes + 3) / 2 * 2;
  const size_t bytes = stride * features() * sizeof(double);
  if (!w.hard_bias.empty() || (bytes > kSmall && bytes > 48 * w.cells.size())) return false;
  stride_ = stride;
  slim_ = slim;
  w_.bias.assign(w.bias.begin(), w.bias.end());
  w_.slope.assign(w.slope.begin(), w.slope.end());
  dense_.resize(stride * features());
  if (bytes < kSmall) threads = 1;
  on_threads(threads, [&](unsigned t) {
    for (size_t f = features() * t / threads; f < features() * (t + 1) / threads; ++f) {
      double* const row = dense_.data() + f * stride;
      std::fill_n(row, stride, 0.0);
      if (!w.known[f]) continue;
      for (size_t i = w.offsets[f]; i < w.offsets[f + 1]; ++i) row[w.classes[i]] = w.cells[i];
      if (slim) continue;
      row[n_classes] = 1;
      if (!w.shared.empty()) row[n_classes + 1] = w.shared[f];
    }
  });
  return true;
}

template <class Make, class Each>
Seen Scorer::run(const Texts& texts, unsigned threads, Make make_sink, Each each) const {
  const Pieces pieces = cut(texts.size(), [&](size_t i) -> const Text& { return texts[i]; });
  threads = unsigned(std::max<size_t>(1, std::min<size_t>(threads, pieces.ends.size())));
  std::atomic<size_t> next{0};
  std::atomic<u64> missing{0}, repaired{0};
  on_threads(threads, [&](unsigned) {
    auto sink = make_sink();
    Extractor<false, decltype(sink)> extractor(vocabulary_, sink, texts.stems.get());
    TextReader reader;
    for (size_t piece; (piece = next++) < pieces.ends.size();) {
      const size_t end = pieces.ends[piece];
      for (size_t i = piece ? pieces.ends[piece - 1] : 0; i < end; ++i) {
        if (i + 1 < end) texts[i + 1].prefetch();
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

std::vector<double> Scorer::with_prior(std::span<const double> prior) const {
  if (prior.size() != classes()) throw std::invalid_argument("a prior that does not fit");
  std::vector<double> bias = w_.bias;
  for (size_t c = 0; c < bias.size(); ++c) bias[c] += prior[c];
  return bias;
}

template <class Each>
Seen Scorer::each_text(const Texts& texts, std::span<const double> prior, unsigned threads,
                       Each each) const {
  const std::vector<double> bias = with_prior(prior);
  const auto by = [&](auto dense, auto binary) {
    return run(texts, threads, [&] { return Sink<dense, binary>(*this, bias); }, each);
  };
  constexpr std::true_type yes;
  constexpr std::false_type no;
  const bool binary = vocabulary_.recipe.binary;
  if (stride_) return binary ? by(yes, yes) : by(yes, no);
  return binary ? by(no, yes) : by(no, no);
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
  const auto each = [&](size_t i, auto& sink) { out[i] = sink.best(); };
  const Bounds* const bounds = this->bounds(texts.size());
  if (!bounds) return each_text(texts, prior, threads, each);
  const Bounds::Base base = bounds->base(with_prior(prior));
  const auto by = [&](auto binary) {
    return run(texts, threads, [&] { return BoundedSink<binary>(*this, *bounds, base); }, each);
  };
  return vocabulary_.recipe.binary ? by(std::true_type()) : by(std::false_type());
}

// To make them takes a pass over all cells, as much as scoring a few texts.
const Bounds* Scorer::bounds(size_t texts) const {
  constexpr size_t kFew = 16;
  if (texts < kFew || classes() < Bounds::kMany || stride_) return nullptr;
  std::call_once(bounds_made_, [&] { bounds_ = Bounds::of(w_); });
  return bounds_.get();
}

}  // namespace nabi
