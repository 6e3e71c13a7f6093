// Leave-one-out log loss of the remaining counts by smoothing: the criterion of alpha="auto".
//   loss(a) = sum over classes of N log(N - 1 + a V) - sum over counts of n log(n - 1 + a)
// with N the tokens of a class and V the size of the vocabulary. For Bernoulli, n counts documents
// with and without a word. The sum over all counts is computed once; a group changes only the terms
// of its own features. One per thread.
#pragma once

#include <algorithm>
#include <map>
#include <numeric>

#include "held_out/buffered_sums.h"
#include "held_out/count_changes.h"
#include "held_out/remaining_counts.h"
#include "held_out/term_cache.h"

namespace nabi {

template <class Entry>
class LeaveOneOutLoss {
 public:
  LeaveOneOutLoss(const HeldOut& h, const std::vector<Entry>& entries,
                  const RemainingCounts<Entry>& remaining)
      : h_(h),
        remaining_(remaining),
        cache_(h.smoothings()),
        width_(LeaveOneOutCache::width(h.alphas())),
        buffer_(1, width_),
        remaining_terms_(width_),
        all_terms_(width_),
        total_terms_(width_),
        losses_(h.alphas()) {
    for (const u64 docs : h.docs_) classes_ += docs != 0;
    if (event() != Event::kBernoulli) add_all(entries);
    const u64 docs = std::accumulate(h.docs_.begin(), h.docs_.end(), u64{0});
    const u64 tokens = std::accumulate(h.tokens_.begin(), h.tokens_.end(), u64{0});
    n_lookups_ = event() == Event::kBernoulli    ? counted(docs) * double(h.known_)
                 : event() == Event::kComplement ? counted(tokens) * double(classes_)
                                                 : counted(tokens);
    if (event() != Event::kBernoulli) find_margin();
  }

  // Index of the smoothing with the least loss; the first among ties.
  u32 best() {
    if (remaining_.is_single() && max_slope() < margin_) return overall_best_;
    find_losses();
    return first_best();
  }

 private:
  // Tolerances for ties, the same as in the library's own choice of alpha.
  static constexpr double kSame = 1e-12, kRounding = 1e-14;

  Event event() const { return h_.weighing_.event; }
  bool is_known(u64 total) const { return total >= h_.weighing_.least; }
  static double counted(u64 units) { return double(units) / double(kUnit); }
  // The count that a term is of: in the class or, for complement, in all other classes.
  u64 part(u64 total, u64 n) const { return event() == Event::kComplement ? total - n : n; }

  u32 first_best() const {
    const double best = *std::min_element(losses_.begin(), losses_.end());
    const double same = kSame * largest_loss() + kRounding * n_lookups_;
    const auto is_best = [&](double loss) { return loss <= best + same; };
    return u32(std::find_if(losses_.begin(), losses_.end(), is_best) - losses_.begin());
  }
  double largest_loss() const {
    double largest = 0;
    for (const double loss : losses_) largest = std::max(largest, std::abs(loss));
    return largest;
  }

  // ---- all counts ----

  void add_all(const std::vector<Entry>& entries) {
    each_known(entries, [&](const Entry* row) {
      for (u32 i = 1; i <= row->cls; ++i)
        if (row[i].units()) add(1, part(row->units(), row[i].units()));
      if (event() == Event::kComplement) add(without(row), row->units());
    });
    sum_up(all_terms_);
    if (event() == Event::kComplement)
      each_known(entries, [&](const Entry* row) { add(1, row->units()); });
    sum_up(total_terms_);
  }
  template <class Take>
  void each_known(const std::vector<Entry>& entries, Take take) const {
    for (const size_t offset : h_.offsets_)
      if (is_known(entries[offset].units())) take(entries.data() + offset);
  }
  // Complement: how many classes do not have a feature.
  int64_t without(const Entry* row) const {
    int64_t n = int64_t(classes_);
    for (u32 i = 1; i <= row->cls; ++i) n -= row[i].units() != 0;
    return n;
  }
  NABI_HOT void add(int64_t times, u64 count) { changes_.add(count, times); }
  void sum_up(std::vector<double>& sums) {
    changes_.flush([&](u64 count, int64_t times) {
      const double* const row = cache_.of(count);
      LeaveOneOutCache::keeps(count) ? buffer_.add(0, double(times), row, sums.data())
                                     : buffer_.add_now(0, double(times), row, sums.data());
    });
    buffer_.flush(sums.data());
  }

  // ---- shortcut: a small document cannot change the best smoothing ----

  // Finds the best smoothing for all counts, and its margin: by how much the loss of any other is
  // larger, for each unit of log(alpha). A change with a smaller slope leaves the best one the
  // best.
  void find_margin() {
    for (size_t a = 0; a < losses_.size(); ++a)
      losses_[a] = normaliser(a, h_.docs_, h_.tokens_, h_.known_) - all_terms_[a];
    overall_best_ = first_best();
    const double unsure = 1e-9 * (largest_loss() + n_lookups_);  // more than all rounding
    margin_ = INFINITY;
    for (u32 a = 0; a < losses_.size(); ++a) {
      const double way = std::abs(std::log(h_.smoothings()[a] / h_.smoothings()[overall_best_]));
      if (a != overall_best_)
        margin_ = std::min(margin_, (losses_[a] - losses_[overall_best_] - unsure) / way);
    }
  }
  // Upper bound of the slope, over log(alpha), of the loss that a document adds or removes.
  //
  // The derivative of n log(n - 1 + a) is n a / (n - 1 + a), and n where n < 1: from 0 to 1, or to
  // a above 1; a term that is changed changes it by no more. That of N log(N - 1 + a V) is
  // N x / (N - 1 + x) with x = a V: it changes by no more than the change of N and 1, and than
  // twice that of x and 2.
  double max_slope() const {
    if (event() == Event::kComplement && gone_classes()) return INFINITY;
    const auto& alphas = h_.smoothings();
    const double top = std::max(1.0, *std::max_element(alphas.begin(), alphas.end()));
    const double lost = double(h_.known_ - remaining_.known), classes = double(classes_);
    const double times = event() == Event::kComplement ? classes : 1;
    double tokens = 0;
    for (size_t c = 0; c < remaining_.tokens.size(); ++c)
      tokens += counted(h_.tokens_[c] - remaining_.tokens[c]);
    return top * (double(remaining_.touched().size()) * times + lost * classes) + tokens * times +
           classes * (3 + 2 * top * lost);
  }
  u64 gone_classes() const {
    u64 n = classes_;
    for (const u64 docs : remaining_.docs) n -= docs != 0;
    return n;
  }

  // ---- remaining counts ----

  void find_losses() {
    for (const Times& t : remaining_.touched()) {
      const Entry *before = remaining_.row_before(t.feature), *now = remaining_.row(t.feature);
      if (!is_known(before->units())) continue;
      event() == Event::kBernoulli ? change_presence(before, now, remaining_.own(t))
                                   : change_counts(before, now, remaining_.own(t));
    }
    std::fill(remaining_terms_.begin(), remaining_terms_.end(), 0.0);
    event() == Event::kBernoulli ? add_classes() : add_unchanged();
    for (size_t a = 0; a < losses_.size(); ++a)
      losses_[a] =
          normaliser(a, remaining_.docs, remaining_.tokens, remaining_.known) - remaining_terms_[a];
  }
  // Sums up the changes first: where no count remains, they cancel all terms to the last bit.
  void add_unchanged() {
    const int64_t gone = event() == Event::kComplement ? int64_t(gone_classes()) : 0;
    if (gone) forget_classes(gone);
    sum_up(remaining_terms_);
    for (size_t a = 0; a < width_; ++a)
      remaining_terms_[a] += all_terms_[a] - double(gone) * total_terms_[a];
  }
  // sum over classes of N log(N - 1 + a V); for Bernoulli, of V D log(D - 1 + 2 a).
  double normaliser(size_t a, const std::vector<u64>& docs, const std::vector<u64>& tokens,
                    u64 known) const {
    const double alpha = h_.smoothings()[a], features = double(known);
    const u64 all = std::accumulate(tokens.begin(), tokens.end(), u64{0});
    double sum = 0;
    for (size_t c = 0; c < docs.size(); ++c)
      if (!docs[c])
        continue;  // a class that is gone
      else if (event() == Event::kBernoulli)
        sum += features * LeaveOneOutTerm::of(counted(docs[c]), alpha, 2);
      else
        sum += LeaveOneOutTerm::of(counted(part(all, tokens[c])), alpha, features);
    return sum;
  }
  void change_counts(const Entry* before, const Entry* now, u64 own) {
    const u64 was = before->units(), is = now->units() - own;
    for (u32 i = 1; i <= now->cls; ++i)
      if (before[i].units())
        change(1, part(was, before[i].units()), part(is, remaining_.count(now[i], own)),
               is_known(is));
    if (event() == Event::kComplement) change(without(before), was, is, is_known(is));
  }
  NABI_HOT void change(int64_t times, u64 was, u64 is, bool stays) {
    if (stays && is == was) return;
    add(-times, was);
    if (stays) add(times, is);
  }
  // Complement: removes the terms of classes without documents, which were counted as classes that
  // have no feature.
  void forget_classes(int64_t gone) {
    for (const Times& t : remaining_.touched()) {
      const u64 was = remaining_.row_before(t.feature)->units();
      const u64 is = remaining_.row(t.feature)->units() - remaining_.own(t);
      if (is_known(was)) change(-gone, was, is, is_known(is));
    }
  }

  // ---- Bernoulli ----

  void add_classes() {
    sum_up(remaining_terms_);
    for (size_t c = 0; c < remaining_.docs.size(); ++c) {
      if (!remaining_.docs[c]) continue;
      const std::vector<double>& sums = from_histogram(c, remaining_.docs[c]);
      const double* const never = cache_.of(remaining_.docs[c]);
      for (size_t a = 0; a < width_; ++a)
        remaining_terms_[a] += sums[a] + double(remaining_.known) * never[a];
    }
  }
  // Terms of all learned counts of a class, if it has `docs` documents; as in GroupScorer.
  const std::vector<double>& from_histogram(size_t c, u64 docs) {
    auto [at, is_new] = from_histogram_.try_emplace({c, docs});
    std::vector<double>& sums = at->second;
    if (!is_new) return sums;
    sums.assign(width_, 0.0);
    for (const auto& [count, times] : h_.histograms_[c]) {
      if (count > docs) break;
      const double *there = cache_.of(count), *missing = cache_.of(docs - count);
      const double* const never = cache_.of(docs);
      for (size_t a = 0; a < width_; ++a)
        sums[a] += double(times) * (there[a] + missing[a] - never[a]);
    }
    return sums;
  }
  void change_presence(const Entry* before, const Entry* now, u64 own) {
    const bool stays = is_known(now->units() - own);
    for (u32 i = 1; i <= now->cls; ++i) {
      const u64 docs = remaining_.docs[now[i].cls], was = before[i].units();
      const u64 is = remaining_.count(now[i], own);
      if (!docs || (stays && is == was)) continue;
      if (was <= docs) add_presence(-1, was, docs);
      if (stays) add_presence(1, is, docs);
    }
  }
  void add_presence(int64_t times, u64 count, u64 docs) {
    add(times, count);
    add(times, docs - count);
    add(-times, docs);
  }

  const HeldOut& h_;
  const RemainingCounts<Entry>& remaining_;
  LeaveOneOutCache cache_;
  size_t width_;
  CountChanges changes_;
  BufferedSums buffer_;
  u64 classes_ = 0;       // that have documents
  double n_lookups_ = 0;  // terms of the loss of all counts
  u32 overall_best_ = 0;  // index of the best smoothing for all counts
  double margin_ = 0;
  // By smoothing: terms of the remaining counts, of all counts, of the features' totals; losses.
  std::vector<double> remaining_terms_, all_terms_, total_terms_, losses_;
  std::map<std::pair<size_t, u64>, std::vector<double>> from_histogram_;
};

}  // namespace nabi
