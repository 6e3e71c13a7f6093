#include "held_out.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "cell_rows.h"
#include "extractor.h"

namespace nabi {
namespace {

// log(1 + n / a) for each smoothing a: worked out once for each whole n. One per thread.
class Logs {
 public:
  explicit Logs(std::span<const double> alphas) : alphas_(alphas), odd_(2 * kOdd * alphas.size()) {}

  // Good until the kOdd-th call after it.
  const double* of(u64 units) {
    const u64 n = units / kUnit;
    if (units % kUnit || n >= kMost) return odd(units);
    if (n >= places_.size()) places_.resize(std::max<size_t>(n + 1, 2 * places_.size()), nullptr);
    if (!places_[n]) [[unlikely]]
      places_[n] = fill(room(), units);
    return places_[n];
  }

 private:
  static constexpr u64 kMost = u64{1} << 22, kRows = 256;
  static constexpr size_t kOdd = 8;

  double* room() {
    if (used_ % kRows == 0) blocks_.push_back(std::make_unique<double[]>(kRows * alphas_.size()));
    return blocks_.back().get() + used_++ % kRows * alphas_.size();
  }
  const double* odd(u64 units) {
    turn_ = (turn_ + 1) % kOdd;
    return fill(odd_.data() + turn_ * alphas_.size(), units);
  }
  const double* fill(double* row, u64 units) const {
    const double n = double(units) / double(kUnit);
    for (size_t a = 0; a < alphas_.size(); ++a) {
      const double ratio = n / alphas_[a];
      row[a] = std::isinf(ratio) ? std::log(n) - std::log(alphas_[a]) : std::log1p(ratio);
    }
    return row;
  }

  std::span<const double> alphas_;
  std::vector<const double*> places_;
  std::vector<std::unique_ptr<double[]>> blocks_;
  size_t used_ = 0, turn_ = 0;
  std::vector<double> odd_;
};

struct Times {
  u32 feature;
  u32 n;  // how often it comes in its document
};

// The features of a document, as the table knows them.
class FeatureSink {
 public:
  static constexpr bool kTraces = false, kStreams = false;
  FeatureSink(const size_t* base, const size_t* size, size_t features, bool binary)
      : base_(base), size_(size), now_(features), binary_(binary) {}

  template <Space kSpace>
  NABI_HOT void add(u32 id) {
    if (id >= size_[kSpace]) return;
    const size_t f = base_[kSpace] + id;
    if (now_[f]++ == 0) touched_.push_back(u32(f));
  }
  template <Space kSpace>
  void prefetch(u32 id) {
    nabi::prefetch(now_.data(), base_[kSpace] + id);
  }
  void close(std::vector<Times>& out) {
    for (const u32 f : touched_) {
      out.push_back({f, binary_ ? 1 : now_[f]});
      now_[f] = 0;
    }
    touched_.clear();
  }

 private:
  const size_t *base_, *size_;
  std::vector<u32> now_, touched_;
  bool binary_;
};

}  // namespace

// A thread's work: one group after another.
class HeldOutGroup {
 public:
  explicit HeldOutGroup(const HeldOut& h)
      : h_(h),
        sink_(h.base_, h.size_, h.known_.size(), h.table_.vocabulary.recipe.binary),
        extractor_(h.table_.vocabulary, sink_),
        logs_(h.weighing_.alphas),
        removed_(h.cells_.classes.size()),
        gone_(h.known_.size()),
        docs_(h.classes()),
        tokens_(h.classes()),
        sums_(h.classes() * h.alphas()) {}

  void score(const Learned& learned, std::span<const u32> documents, double* out) {
    read(learned, documents);
    remove(learned, documents);
    for (size_t i = 0; i < documents.size(); ++i)
      score_one(i, out + size_t{documents[i]} * h_.alphas() * h_.classes());
    restore();
  }

 private:
  using Row = const double*;

  void read(const Learned& learned, std::span<const u32> documents) {
    times_.clear();
    ends_.clear();
    for (const u32 d : documents) {
      extractor_.run(reader_.read(learned.texts[d]));
      sink_.close(times_);
      ends_.push_back(times_.size());
    }
  }
  std::span<const Times> times(size_t i) const {
    const size_t begin = i ? ends_[i - 1] : 0;
    return std::span(times_).subspan(begin, ends_[i] - begin);
  }

  // Notes what the model loses with the group.
  void remove(const Learned& learned, std::span<const u32> documents) {
    docs_ = h_.table_.docs;
    tokens_ = h_.tokens_;
    features_ = h_.features_;
    for (size_t i = 0; i < documents.size(); ++i) {
      const u32 cls = learned.classes[documents[i]];
      const u64 units = learned.units.empty() ? kUnit : learned.units[documents[i]];
      if (!units) continue;
      take(docs_[cls], units);
      for (const Times& t : times(i)) {
        const size_t cell = cell_of(t.feature, cls);
        if (!gone_[t.feature]) touched_.push_back(t.feature);
        gone_[t.feature] += units * t.n;
        removed_[cell] += units * t.n;
      }
    }
    for (const u32 f : touched_) lose(f);
  }
  void lose(u32 f) {
    if (gone_[f] > h_.totals_[f]) unlearned();
    const bool stays = knows(f);
    features_ -= h_.known_[f] && !stays;
    for (size_t i = h_.cells_.offsets[f]; i < h_.cells_.offsets[f + 1]; ++i) {
      if (removed_[i] > h_.cells_.counts[i]) unlearned();
      if (h_.known_[f])
        take(tokens_[h_.cells_.classes[i]], stays ? removed_[i] : h_.cells_.counts[i]);
    }
  }
  void restore() {
    for (const u32 f : touched_) {
      gone_[f] = 0;
      std::fill(removed_.begin() + ptrdiff_t(h_.cells_.offsets[f]),
                removed_.begin() + ptrdiff_t(h_.cells_.offsets[f + 1]), 0);
    }
    touched_.clear();
  }
  static void unlearned() {
    throw std::invalid_argument("documents that were not learned as they are given");
  }
  static void take(u64& from, u64 units) {
    if (units > from) unlearned();
    from -= units;
  }
  size_t cell_of(u32 f, u32 cls) const {
    const auto begin = h_.cells_.classes.begin() + ptrdiff_t(h_.cells_.offsets[f]);
    const auto end = h_.cells_.classes.begin() + ptrdiff_t(h_.cells_.offsets[f + 1]);
    const auto at = std::lower_bound(begin, end, cls);
    if (at == end || *at != cls) unlearned();
    return size_t(at - h_.cells_.classes.begin());
  }
  bool knows(u32 f) const { return h_.totals_[f] - gone_[f] >= h_.weighing_.least; }
  u64 left(size_t cell) const { return h_.cells_.counts[cell] - removed_[cell]; }

  void score_one(size_t i, double* out) {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    shared_.assign(h_.alphas(), 0.0);
    u64 n = 0;
    for (const Times& t : times(i)) {
      if (!knows(t.feature)) continue;
      n += t.n;
      switch (h_.weighing_.event) {
        case Event::kMultinomial:
          add_counts(t);
          break;
        case Event::kComplement:
          add_complements(t);
          break;
        case Event::kBernoulli:
          add_odds(t);
          break;
      }
    }
    finish(double(n), out);
  }

  void add(size_t cell, double times, Row plus, Row minus) {
    double* const sums = sums_.data() + size_t{h_.cells_.classes[cell]} * h_.alphas();
    for (size_t a = 0; a < h_.alphas(); ++a) sums[a] += times * (plus[a] - minus[a]);
  }
  void add_counts(const Times& t) {
    const size_t width = h_.alphas();
    for (size_t i = h_.cells_.offsets[t.feature]; i < h_.cells_.offsets[t.feature + 1]; ++i) {
      const Row row = logs_.of(left(i));
      double* const sums = sums_.data() + size_t{h_.cells_.classes[i]} * width;
      for (size_t a = 0; a < width; ++a) sums[a] += t.n * row[a];
    }
  }
  void add_complements(const Times& t) {
    const u64 total = h_.totals_[t.feature] - gone_[t.feature];
    const Row all = logs_.of(total);
    for (size_t a = 0; a < h_.alphas(); ++a) shared_[a] -= t.n * all[a];
    for (size_t i = h_.cells_.offsets[t.feature]; i < h_.cells_.offsets[t.feature + 1]; ++i)
      add(i, t.n, logs_.of(total), logs_.of(total - left(i)));
  }
  void add_odds(const Times& t) {
    for (size_t i = h_.cells_.offsets[t.feature]; i < h_.cells_.offsets[t.feature + 1]; ++i) {
      const u64 docs = docs_[h_.cells_.classes[i]];
      if (!docs) continue;  // a class that is gone
      add(i, 1, logs_.of(left(i)), logs_.of(docs - left(i)));
      add(i, 1, logs_.of(docs), logs_.of(0));
    }
  }

  // The terms that do not depend on which features the document has.
  void finish(double n, double* out) {
    u64 all = std::accumulate(tokens_.begin(), tokens_.end(), u64{0});
    for (size_t c = 0; c < h_.classes(); ++c) {
      const double* const absent = h_.weighing_.event == Event::kBernoulli ? absences(c) : nullptr;
      for (size_t a = 0; a < h_.alphas(); ++a) {
        const double alpha = h_.weighing_.alphas[a];
        double& score = out[a * h_.classes() + c];
        score = sums_[c * h_.alphas() + a] + shared_[a];
        switch (h_.weighing_.event) {
          case Event::kMultinomial:
            if (n) score += n * (std::log(alpha) - log_sum(tokens_[c], alpha));
            break;
          case Event::kComplement:
            if (n) score += n * (log_sum(all - tokens_[c], alpha) - std::log(alpha));
            break;
          case Event::kBernoulli:
            score += n * (std::log(alpha) - std::log(counted(docs_[c]) + alpha)) + absent[a];
        }
      }
    }
  }
  static double counted(u64 units) { return double(units) / double(kUnit); }
  double log_sum(u64 tokens, double alpha) const {
    return std::log(counted(tokens) + alpha * double(features_));
  }

  // Bernoulli: for each smoothing, the sum over the vocabulary of log(1 - P(w|c)).
  const double* absences(size_t c) {
    absent_.assign(h_.alphas(), 0.0);
    const u64 docs = docs_[c];
    if (!docs) return absent_.data();
    const std::vector<double>& base = whole(c, docs);
    for (size_t a = 0; a < h_.alphas(); ++a) {
      const double alpha = h_.weighing_.alphas[a], d = counted(docs);
      absent_[a] = base[a] + double(features_) * (std::log(d + alpha) - std::log(d + 2 * alpha));
    }
    for (const u32 f : touched_) {
      if (!h_.known_[f]) continue;
      const auto begin = h_.cells_.classes.begin() + ptrdiff_t(h_.cells_.offsets[f]);
      const auto end = h_.cells_.classes.begin() + ptrdiff_t(h_.cells_.offsets[f + 1]);
      const auto at = std::lower_bound(begin, end, u32(c));
      if (at == end || *at != c) continue;
      const size_t cell = size_t(at - h_.cells_.classes.begin());
      if (h_.cells_.counts[cell] <= docs) change(-1, docs, h_.cells_.counts[cell]);
      if (knows(f)) change(1, docs, left(cell));
    }
    return absent_.data();
  }
  void change(double sign, u64 docs, u64 count) {
    const Row less = logs_.of(docs - count), more = logs_.of(docs);
    for (size_t a = 0; a < h_.alphas(); ++a) absent_[a] += sign * (less[a] - more[a]);
  }
  // The same sum over the counts as they were learned, for a class of so many documents, relative
  // to a class that has seen no word; those that are above the number of documents left out.
  const std::vector<double>& whole(size_t c, u64 docs) {
    auto [at, is_new] = wholes_.try_emplace({c, docs});
    std::vector<double>& sums = at->second;
    if (!is_new) return sums;
    sums.assign(h_.alphas(), 0.0);
    for (const auto& [count, times] : h_.histograms_[c]) {
      if (count > docs) break;
      const Row less = logs_.of(docs - count), more = logs_.of(docs);
      for (size_t a = 0; a < sums.size(); ++a) sums[a] += double(times) * (less[a] - more[a]);
    }
    return sums;
  }

  const HeldOut& h_;
  FeatureSink sink_;
  Extractor<false, FeatureSink> extractor_;
  TextReader reader_;
  Logs logs_;
  std::vector<Times> times_;
  std::vector<size_t> ends_;
  std::vector<u64> removed_;  // of each cell
  std::vector<u64> gone_;     // of each feature
  std::vector<u32> touched_;  // features of which something is removed
  std::vector<u64> docs_, tokens_;
  u64 features_ = 0;
  std::vector<double> sums_, shared_, absent_;
  std::map<std::pair<size_t, u64>, std::vector<double>> wholes_;
};

HeldOut::HeldOut(const CountTable& table, Weighing weighing)
    : table_(table), weighing_(std::move(weighing)), cells_(table.cells()) {
  for (const double alpha : weighing_.alphas)
    if (!(alpha > 0) || !std::isfinite(alpha))
      throw std::invalid_argument("a smoothing that is not above 0");
  size_t base = 0;
  for (int s = 0; s < kSpaces; ++s) {
    base_[s] = base;
    size_[s] = table.vocabulary.size(Space(s));
    base += size_[s];
  }
  weighing_.least = std::max<u64>(1, weighing_.least);
  totals_.resize(base);
  known_.resize(base);
  tokens_.resize(classes());
  histograms_.resize(weighing_.event == Event::kBernoulli ? classes() : 0);
  for (size_t f = 0; f < base; ++f) {
    for (size_t i = cells_.offsets[f]; i < cells_.offsets[f + 1]; ++i)
      totals_[f] += cells_.counts[i];
    known_[f] = totals_[f] >= weighing_.least;
    if (!known_[f]) continue;
    ++features_;
    for (size_t i = cells_.offsets[f]; i < cells_.offsets[f + 1]; ++i) {
      tokens_[cells_.classes[i]] += cells_.counts[i];
      if (!histograms_.empty()) ++histograms_[cells_.classes[i]][cells_.counts[i]];
    }
  }
}

void HeldOut::score(const Learned& learned, unsigned threads, double* out) const {
  const size_t n = learned.texts.size();
  bool fits = learned.classes.size() == n && learned.groups.size() == n &&
              (learned.units.empty() || learned.units.size() == n) && n < kNone;
  for (const u32 c : learned.classes) fits = fits && c < classes();
  if (!fits) throw std::invalid_argument("documents that do not fit the table");
  std::vector<u32> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](u32 a, u32 b) { return learned.groups[a] < learned.groups[b]; });
  // Where groups end; pieces of several small ones, for threads to take one by one.
  constexpr size_t kPiece = 64;
  std::vector<size_t> ends, pieces{0};
  for (size_t i = 1; i <= n; ++i)
    if (i == n || learned.groups[order[i]] != learned.groups[order[i - 1]]) {
      ends.push_back(i);
      const size_t begin = pieces.back() ? ends[pieces.back() - 1] : 0;
      if (i - begin >= kPiece || i == n) pieces.push_back(ends.size());
    }
  const size_t n_pieces = pieces.size() - 1;
  threads = unsigned(std::max<size_t>(1, std::min<size_t>(threads, n_pieces)));
  on_pieces(
      n_pieces, threads, [&](unsigned) { return std::make_unique<HeldOutGroup>(*this); },
      [&](std::unique_ptr<HeldOutGroup>& group, size_t piece, unsigned) {
        for (size_t g = pieces[piece]; g < pieces[piece + 1]; ++g) {
          const size_t begin = g ? ends[g - 1] : 0;
          group->score(learned, std::span(order).subspan(begin, ends[g] - begin), out);
        }
      });
}

}  // namespace nabi
