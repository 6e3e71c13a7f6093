// Scores of a group's documents by the model without the group. One per thread.
#pragma once

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "held_out/buffered_sums.h"
#include "held_out/remaining_counts.h"
#include "held_out/term_cache.h"

namespace nabi {

template <class Entry>
class GroupScorer {
 public:
  GroupScorer(const HeldOut& h, RemainingCounts<Entry>& remaining, const Learned& learned,
              const Prior& prior, std::span<const double> alphas)
      : h_(h),
        learned_(learned),
        given_(prior),
        remaining_(remaining),
        alphas_(alphas),
        logs_(alphas),
        width_(LogRatioCache::width(alphas.size())),
        buffer_(h.docs_.size() + 1, width_),
        sums_((h.docs_.size() + 1) * width_),
        per_document_(sums_.size()),
        per_feature_(sums_.size()),
        prior_(h.classes()),
        scores_(alphas.size() * h.classes()) {
    for (const double alpha : alphas) log_alphas_.push_back(std::log(alpha));
  }

  // Calls take(document, scores, n(d)) for each document of a group.
  template <class Take>
  void score(std::span<const u32> documents, Take take) {
    if (documents.size() == 1) {
      remaining_.remove_one(documents[0]);
      const u64 n = add_bag(learned_.bags[documents[0]]);
      weigh();
      finish(n);
      take(documents[0], scores_.data(), n);
      return;
    }
    remaining_.remove_group(documents);
    score_left_out(documents, take);
    remaining_.restore();
  }
  // Scores likewise; the documents and all their tokens must have been removed already.
  template <class Take>
  void score_left_out(std::span<const u32> documents, Take take) {
    weigh();
    for (const u32 d : documents) {
      const u64 n = add_bag(learned_.bags[d]);
      finish(n);
      take(d, scores_.data(), n);
    }
  }

 private:
  using Bag = std::span<const Times>;
  using Row = const double*;

  u64 least() const { return h_.weighing_.least; }
  size_t shared() const { return remaining_.docs.size(); }
  static double counted(u64 units) { return double(units) / double(kUnit); }

  // ---- terms that all documents of a group share ----

  void weigh() {
    const u64 all = std::accumulate(remaining_.tokens.begin(), remaining_.tokens.end(), u64{0});
    for (size_t c = 0; c < remaining_.docs.size(); ++c)
      for (size_t a = 0; a < alphas_.size(); ++a)
        per_feature_[c * width_ + a] = per_feature_term(c, a, all);
    if (h_.weighing_.event == Event::kBernoulli)
      for (size_t c = 0; c < remaining_.docs.size(); ++c) weigh_absences(c);
    weigh_prior();
  }
  // Term of class c that each feature of a document adds, whichever feature it is.
  double per_feature_term(size_t c, size_t a, u64 all) const {
    const double alpha = alphas_[a], log_alpha = log_alphas_[a];
    switch (h_.weighing_.event) {
      case Event::kMultinomial:
        return log_alpha -
               std::log(counted(remaining_.tokens[c]) + alpha * double(remaining_.known));
      case Event::kComplement:
        return std::log(counted(all - remaining_.tokens[c]) + alpha * double(remaining_.known)) -
               log_alpha;
      case Event::kBernoulli:
        break;
    }
    return log_alpha - std::log(counted(remaining_.docs[c]) + alpha);
  }
  void weigh_prior() {
    double sum = 0;
    bool any = false;
    for (size_t j = 0; j < prior_.size(); ++j) {
      const u64 docs = remaining_.docs[h_.order_[j]];
      prior_[j] = !docs ? 0 : given_.shares.empty() ? counted(docs) : given_.shares[j];
      sum += prior_[j];
      any |= docs != 0;
    }
    if (!any)
      throw std::invalid_argument(
          "without one of the groups nothing is left to learn from; give more");
    if (!(sum > 0))
      throw std::invalid_argument("the prior is 0 for all classes that are left without a group");
    const double log_sum = given_.sums_to_one ? std::log(sum) : 0;
    for (double& p : prior_) p = std::log(p) - log_sum;
  }

  // Bernoulli: for each smoothing, the sum over the vocabulary of log(1 - P(w|c)).
  void weigh_absences(size_t c) {
    double* const absent = per_document_.data() + c * width_;
    std::fill_n(absent, width_, 0.0);
    const u64 docs = remaining_.docs[c];
    if (!docs) return;
    const std::vector<double>& base = from_histogram(c, docs);
    for (size_t a = 0; a < alphas_.size(); ++a) {
      const double alpha = alphas_[a], d = counted(docs);
      absent[a] =
          base[a] + double(remaining_.known) * (std::log(d + alpha) - std::log(d + 2 * alpha));
    }
    find_changes(c, docs);
    for (const auto& [count, sign] : changes_) {
      const Row more = logs_.of(docs), less = logs_.of(docs - count);
      for (size_t a = 0; a < alphas_.size(); ++a) absent[a] += sign * (less[a] - more[a]);
    }
  }
  // Counts that a class loses (-1) and those that replace them (1).
  void find_changes(size_t c, u64 docs) {
    changes_.clear();
    for (const Times& t : remaining_.touched()) {
      const Entry *before = remaining_.row_before(t.feature), *now = remaining_.row(t.feature);
      if (before->units() < least()) continue;
      const u64 own = remaining_.own(t);
      const bool stays = now->units() - own >= least();
      for (u32 i = 1; i <= now->cls; ++i) {
        if (now[i].cls != c) continue;
        if (before[i].units() <= docs) changes_.emplace_back(before[i].units(), -1);
        if (stays) changes_.emplace_back(remaining_.count(now[i], own), 1);
      }
    }
    // The sum must not depend on the order of the group's documents.
    if (!remaining_.is_single()) std::sort(changes_.begin(), changes_.end());
  }
  // Bernoulli: that sum over all learned counts, if the class has `docs` documents, relative to a
  // class that has seen no word. Counts above `docs` are left out.
  const std::vector<double>& from_histogram(size_t c, u64 docs) {
    auto [at, is_new] = from_histogram_.try_emplace({c, docs});
    std::vector<double>& sums = at->second;
    if (!is_new) return sums;
    sums.assign(alphas_.size(), 0.0);
    for (const auto& [count, times] : h_.histograms_[c]) {
      if (count > docs) break;
      const Row more = logs_.of(docs), less = logs_.of(docs - count);
      for (size_t a = 0; a < sums.size(); ++a) sums[a] += double(times) * (less[a] - more[a]);
    }
    return sums;
  }

  // ---- one document ----

  // Adds the terms of a bag; returns n(d), the number of its known features with repetitions.
  u64 add_bag(Bag bag) {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    switch (h_.weighing_.event) {
      case Event::kMultinomial:
        return add_features<Event::kMultinomial>(bag);
      case Event::kComplement:
        return add_features<Event::kComplement>(bag);
      case Event::kBernoulli:
        break;
    }
    return add_features<Event::kBernoulli>(bag);
  }
  template <Event kEvent>
  u64 add_features(Bag bag) {
    u64 n = 0;
    const bool subtracts = !remaining_.is_subtracted();
    for (size_t i = 0; i < bag.size(); ++i) {
      remaining_.fetch_ahead(bag, i);
      const Entry* const row = remaining_.row(bag[i].feature);
      const u64 own = remaining_.own(bag[i]);
      if (own && subtracts) remaining_.subtract_own(row, own);
      if (row->units() - own < least()) continue;
      n += bag[i].n;
      if constexpr (kEvent == Event::kMultinomial) add_counts(row, own, bag[i].n);
      if constexpr (kEvent == Event::kComplement) add_complements(row, own, bag[i].n);
      if constexpr (kEvent == Event::kBernoulli) add_odds(row, own);
    }
    return n;
  }
  NABI_HOT void add_counts(const Entry* row, u64 own, double n) {
    for (u32 i = 1; i <= row->cls; ++i) add(row[i].cls, n, remaining_.count(row[i], own));
  }
  void add_complements(const Entry* row, u64 own, double n) {
    const u64 total = row->units() - own;
    add(shared(), -n, total);
    for (u32 i = 1; i <= row->cls; ++i) {
      add(row[i].cls, n, total);
      add(row[i].cls, -n, total - remaining_.count(row[i], own));
    }
  }
  void add_odds(const Entry* row, u64 own) {
    for (u32 i = 1; i <= row->cls; ++i) {
      const u64 docs = remaining_.docs[row[i].cls];
      if (!docs) continue;  // a class that is gone
      add(row[i].cls, 1, remaining_.count(row[i], own));
      add(row[i].cls, -1, docs - remaining_.count(row[i], own));
      add(row[i].cls, 1, docs);
    }
  }
  // Adds n times the logarithms of a count to the sums of a class.
  NABI_HOT void add(size_t cls, double n, u64 count) {
    const Row row = logs_.of(count);
    if (width_ == 1)
      sums_[cls] += n * *row;
    else if (LogRatioCache::keeps(count)) [[likely]]
      buffer_.add(cls, n, row, sums_.data());
    else
      buffer_.add_now(cls, n, row, sums_.data());
  }
  void finish(u64 n) {
    if (width_ > 1) buffer_.flush(sums_.data());
    double* out = scores_.data();
    for (size_t a = 0; a < alphas_.size(); ++a)
      for (size_t j = 0; j < h_.classes(); ++j) {
        const size_t i = size_t{h_.order_[j]} * width_ + a;
        const double score = sums_[i] + sums_[shared() * width_ + a] +
                             (n ? double(n) * per_feature_[i] : 0) + per_document_[i];
        *out++ = std::isinf(prior_[j]) ? prior_[j] : score + prior_[j];
      }
  }

  const HeldOut& h_;
  const Learned& learned_;
  const Prior& given_;
  RemainingCounts<Entry>& remaining_;
  std::span<const double> alphas_;
  std::vector<double> log_alphas_;
  LogRatioCache logs_;
  size_t width_;
  // By class and smoothing; after the last class, the terms that all classes share.
  BufferedSums buffer_;
  std::vector<double> sums_, per_document_, per_feature_;
  std::vector<double> prior_, scores_;
  std::vector<std::pair<u64, int>> changes_;
  std::map<std::pair<size_t, u64>, std::vector<double>> from_histogram_;
};

}  // namespace nabi
