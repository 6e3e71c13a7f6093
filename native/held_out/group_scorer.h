// What the model without a group says of the group's documents. One per thread. Only held_out.cc
// includes it.
#pragma once

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "held_out/buffered_sums.h"
#include "held_out/remaining_counts.h"
#include "held_out/term_cache.h"

namespace nabi {

template <class Entry>
class HeldOutGroup {
 public:
  HeldOutGroup(const HeldOut& h, LeftCounts<Entry>& left, const Learned& learned,
               const Prior& prior, std::span<const double> alphas)
      : h_(h),
        learned_(learned),
        given_(prior),
        left_(left),
        alphas_(alphas),
        logs_(alphas),
        width_(CountLogs::width(alphas.size())),
        later_(h.docs_.size() + 1, width_),
        sums_((h.docs_.size() + 1) * width_),
        once_(sums_.size()),
        each_(sums_.size()),
        prior_(h.classes()),
        scores_(alphas.size() * h.classes()) {
    for (const double alpha : alphas) log_alphas_.push_back(std::log(alpha));
  }

  // take(document, scores, n(d)) for each document of a group.
  template <class Take>
  void score(std::span<const u32> documents, Take take) {
    if (documents.size() == 1) {
      left_.leave_one(documents[0]);
      const u64 n = add_bag(learned_.bags[documents[0]]);
      weigh();
      finish(n);
      take(documents[0], scores_.data(), n);
      return;
    }
    left_.leave_all(documents);
    score_left(documents, take);
    left_.restore();
  }
  // The same of documents that are left out, and all that they take is taken.
  template <class Take>
  void score_left(std::span<const u32> documents, Take take) {
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
  size_t shared() const { return left_.docs.size(); }
  static double counted(u64 units) { return double(units) / double(kUnit); }

  // ---- what all documents of the group share ----

  void weigh() {
    const u64 all = std::accumulate(left_.tokens.begin(), left_.tokens.end(), u64{0});
    for (size_t c = 0; c < left_.docs.size(); ++c)
      for (size_t a = 0; a < alphas_.size(); ++a) each_[c * width_ + a] = each_time(c, a, all);
    if (h_.weighing_.event == Event::kBernoulli)
      for (size_t c = 0; c < left_.docs.size(); ++c) weigh_absences(c);
    weigh_prior();
  }
  // What each feature of a document adds, whichever it is.
  double each_time(size_t c, size_t a, u64 all) const {
    const double alpha = alphas_[a], log_alpha = log_alphas_[a];
    switch (h_.weighing_.event) {
      case Event::kMultinomial:
        return log_alpha - std::log(counted(left_.tokens[c]) + alpha * double(left_.known));
      case Event::kComplement:
        return std::log(counted(all - left_.tokens[c]) + alpha * double(left_.known)) - log_alpha;
      case Event::kBernoulli:
        break;
    }
    return log_alpha - std::log(counted(left_.docs[c]) + alpha);
  }
  void weigh_prior() {
    double sum = 0;
    bool any = false;
    for (size_t j = 0; j < prior_.size(); ++j) {
      const u64 docs = left_.docs[h_.order_[j]];
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
    double* const absent = once_.data() + c * width_;
    std::fill_n(absent, width_, 0.0);
    const u64 docs = left_.docs[c];
    if (!docs) return;
    const std::vector<double>& base = whole(c, docs);
    for (size_t a = 0; a < alphas_.size(); ++a) {
      const double alpha = alphas_[a], d = counted(docs);
      absent[a] = base[a] + double(left_.known) * (std::log(d + alpha) - std::log(d + 2 * alpha));
    }
    find_changes(c, docs);
    for (const auto& [count, sign] : changes_) {
      const Row more = logs_.of(docs), less = logs_.of(docs - count);
      for (size_t a = 0; a < alphas_.size(); ++a) absent[a] += sign * (less[a] - more[a]);
    }
  }
  // The counts that a class loses (-1) and has instead (1).
  void find_changes(size_t c, u64 docs) {
    changes_.clear();
    for (const Times& t : left_.touched()) {
      const Entry *before = left_.row_before(t.feature), *now = left_.row(t.feature);
      if (before->units() < least()) continue;
      const u64 own = left_.own(t);
      const bool stays = now->units() - own >= least();
      for (u32 i = 1; i <= now->cls; ++i) {
        if (now[i].cls != c) continue;
        if (before[i].units() <= docs) changes_.emplace_back(before[i].units(), -1);
        if (stays) changes_.emplace_back(left_.left(now[i], own), 1);
      }
    }
    // The sum must not depend on the order of the group's documents.
    if (!left_.is_single()) std::sort(changes_.begin(), changes_.end());
  }
  // The same sum over the counts as they were learned, for a class of so many documents, relative
  // to a class that has seen no word; those that are above the number of documents left out.
  const std::vector<double>& whole(size_t c, u64 docs) {
    auto [at, is_new] = wholes_.try_emplace({c, docs});
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

  // How many features are known, with their times.
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
    const bool takes = !left_.is_taken();
    for (size_t i = 0; i < bag.size(); ++i) {
      left_.fetch_ahead(bag, i);
      const Entry* const row = left_.row(bag[i].feature);
      const u64 own = left_.own(bag[i]);
      if (own && takes) left_.take_own(row, own);
      if (row->units() - own < least()) continue;
      n += bag[i].n;
      if constexpr (kEvent == Event::kMultinomial) add_counts(row, own, bag[i].n);
      if constexpr (kEvent == Event::kComplement) add_complements(row, own, bag[i].n);
      if constexpr (kEvent == Event::kBernoulli) add_odds(row, own);
    }
    return n;
  }
  NABI_HOT void add_counts(const Entry* row, u64 own, double n) {
    for (u32 i = 1; i <= row->cls; ++i) add(row[i].cls, n, left_.left(row[i], own));
  }
  void add_complements(const Entry* row, u64 own, double n) {
    const u64 total = row->units() - own;
    add(shared(), -n, total);
    for (u32 i = 1; i <= row->cls; ++i) {
      add(row[i].cls, n, total);
      add(row[i].cls, -n, total - left_.left(row[i], own));
    }
  }
  void add_odds(const Entry* row, u64 own) {
    for (u32 i = 1; i <= row->cls; ++i) {
      const u64 docs = left_.docs[row[i].cls];
      if (!docs) continue;  // a class that is gone
      add(row[i].cls, 1, left_.left(row[i], own));
      add(row[i].cls, -1, docs - left_.left(row[i], own));
      add(row[i].cls, 1, docs);
    }
  }
  // Adds n times the logarithms of a count to the sums of a class.
  NABI_HOT void add(size_t cls, double n, u64 count) {
    const Row row = logs_.of(count);
    if (width_ == 1)
      sums_[cls] += n * *row;
    else if (CountLogs::keeps(count)) [[likely]]
      later_.add(cls, n, row, sums_.data());
    else
      later_.add_now(cls, n, row, sums_.data());
  }
  void finish(u64 n) {
    if (width_ > 1) later_.close(sums_.data());
    double* out = scores_.data();
    for (size_t a = 0; a < alphas_.size(); ++a)
      for (size_t j = 0; j < h_.classes(); ++j) {
        const size_t i = size_t{h_.order_[j]} * width_ + a;
        const double score =
            sums_[i] + sums_[shared() * width_ + a] + (n ? double(n) * each_[i] : 0) + once_[i];
        *out++ = std::isinf(prior_[j]) ? prior_[j] : score + prior_[j];
      }
  }

  const HeldOut& h_;
  const Learned& learned_;
  const Prior& given_;
  LeftCounts<Entry>& left_;
  std::span<const double> alphas_;
  std::vector<double> log_alphas_;
  CountLogs logs_;
  size_t width_;
  // By class and smoothing; last what all classes share.
  WaitingRows later_;
  std::vector<double> sums_, once_, each_;
  std::vector<double> prior_, scores_;
  std::vector<std::pair<u64, int>> changes_;
  std::map<std::pair<size_t, u64>, std::vector<double>> wholes_;
};

}  // namespace nabi
