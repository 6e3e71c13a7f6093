// How surprised the counts that a group leaves are by each of their own, left out in its turn, for
// each smoothing: what src/nabi/smoothing.py chooses by. The sum over all counts is kept, and a
// group changes the terms of its own features. One per thread. Only chosen_group.h includes it.
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
class LeftSurprise {
 public:
  LeftSurprise(const HeldOut& h, const std::vector<Entry>& entries, const LeftCounts<Entry>& left)
      : h_(h),
        left_(left),
        rows_(h.smoothings()),
        width_(CountRepeats::width(h.alphas())),
        later_(1, width_),
        seen_(width_),
        all_(width_),
        totals_(width_),
        losses_(h.alphas()) {
    for (const u64 docs : h.docs_) classes_ += docs != 0;
    if (event() != Event::kBernoulli) add_all(entries);
    const u64 docs = std::accumulate(h.docs_.begin(), h.docs_.end(), u64{0});
    const u64 tokens = std::accumulate(h.tokens_.begin(), h.tokens_.end(), u64{0});
    looked_up_ = event() == Event::kBernoulli    ? counted(docs) * double(h.known_)
                 : event() == Event::kComplement ? counted(tokens) * double(classes_)
                                                 : counted(tokens);
    if (event() != Event::kBernoulli) find_room();
  }

  // The place of the smoothing with the least loss, of equal ones the first.
  u32 least() {
    if (left_.is_single() && steepest() < room_) return usual_;
    find_losses();
    return first_least();
  }

 private:
  static constexpr double kSame = 1e-12, kRounding = 1e-14;  // those of nabi.smoothing

  Event event() const { return h_.weighing_.event; }
  bool is_known(u64 total) const { return total >= h_.weighing_.least; }
  static double counted(u64 units) { return double(units) / double(kUnit); }
  // What is looked up again: the count in a class, or in all others.
  u64 part(u64 total, u64 n) const { return event() == Event::kComplement ? total - n : n; }

  u32 first_least() const {
    const double best = *std::min_element(losses_.begin(), losses_.end());
    const double same = kSame * most() + kRounding * looked_up_;
    const auto is_least = [&](double loss) { return loss <= best + same; };
    return u32(std::find_if(losses_.begin(), losses_.end(), is_least) - losses_.begin());
  }
  double most() const {
    double most = 0;
    for (const double loss : losses_) most = std::max(most, std::abs(loss));
    return most;
  }

  // ---- all counts ----

  void add_all(const std::vector<Entry>& entries) {
    each_known(entries, [&](const Entry* row) {
      for (u32 i = 1; i <= row->cls; ++i)
        if (row[i].units()) add(1, part(row->units(), row[i].units()));
      if (event() == Event::kComplement) add(without(row), row->units());
    });
    sum_up(all_);
    if (event() == Event::kComplement)
      each_known(entries, [&](const Entry* row) { add(1, row->units()); });
    sum_up(totals_);
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
    changes_.close([&](u64 count, int64_t times) {
      const double* const row = rows_.of(count);
      CountRepeats::keeps(count) ? later_.add(0, double(times), row, sums.data())
                                 : later_.add_now(0, double(times), row, sums.data());
    });
    later_.close(sums.data());
  }

  // ---- what one document cannot change ----

  // Of all counts the best smoothing, and by how much the others are worse: the least loss for each
  // unit of log(alpha). What is far below that cannot make another one the best.
  void find_room() {
    for (size_t a = 0; a < losses_.size(); ++a)
      losses_[a] = drawn(a, h_.docs_, h_.tokens_, h_.known_) - all_[a];
    usual_ = first_least();
    const double unsure = 1e-9 * (most() + looked_up_);  // more than all rounding
    room_ = INFINITY;
    for (u32 a = 0; a < losses_.size(); ++a) {
      const double way = std::abs(std::log(h_.smoothings()[a] / h_.smoothings()[usual_]));
      if (a != usual_) room_ = std::min(room_, (losses_[a] - losses_[usual_] - unsure) / way);
    }
  }
  // At most by how much a document's part of the loss grows or falls for each unit of log(alpha).
  //
  // The derivative of n log(n - 1 + a) is n a / (n - 1 + a), and n where n < 1: from 0 to 1, or to
  // a above 1; a term that is changed changes it by no more. That of N log(N - 1 + a V) is
  // N x / (N - 1 + x) with x = a V: it changes by no more than the change of N and 1, and than
  // twice that of x and 2.
  double steepest() const {
    if (event() == Event::kComplement && n_gone()) return INFINITY;
    const auto& alphas = h_.smoothings();
    const double top = std::max(1.0, *std::max_element(alphas.begin(), alphas.end()));
    const double lost = double(h_.known_ - left_.known), classes = double(classes_);
    const double times = event() == Event::kComplement ? classes : 1;
    double tokens = 0;
    for (size_t c = 0; c < left_.tokens.size(); ++c)
      tokens += counted(h_.tokens_[c] - left_.tokens[c]);
    return top * (double(left_.touched().size()) * times + lost * classes) + tokens * times +
           classes * (3 + 2 * top * lost);
  }
  u64 n_gone() const {
    u64 n = classes_;
    for (const u64 docs : left_.docs) n -= docs != 0;
    return n;
  }

  // ---- what a group leaves ----

  void find_losses() {
    for (const Times& t : left_.touched()) {
      const Entry *before = left_.row_before(t.feature), *now = left_.row(t.feature);
      if (!is_known(before->units())) continue;
      event() == Event::kBernoulli ? change_presence(before, now, left_.own(t))
                                   : change_counts(before, now, left_.own(t));
    }
    std::fill(seen_.begin(), seen_.end(), 0.0);
    event() == Event::kBernoulli ? add_classes() : add_unchanged();
    for (size_t a = 0; a < losses_.size(); ++a)
      losses_[a] = drawn(a, left_.docs, left_.tokens, left_.known) - seen_[a];
  }
  // The changes are summed up first: where nothing is left, they are what there was, to the last
  // bit.
  void add_unchanged() {
    const int64_t gone = event() == Event::kComplement ? int64_t(n_gone()) : 0;
    if (gone) forget_classes(gone);
    sum_up(seen_);
    for (size_t a = 0; a < width_; ++a) seen_[a] += all_[a] - double(gone) * totals_[a];
  }
  // The sums of which the counts are parts, looked up again in the same way.
  double drawn(size_t a, const std::vector<u64>& docs, const std::vector<u64>& tokens,
               u64 known) const {
    const double alpha = h_.smoothings()[a], features = double(known);
    const u64 all = std::accumulate(tokens.begin(), tokens.end(), u64{0});
    double sum = 0;
    for (size_t c = 0; c < docs.size(); ++c)
      if (!docs[c])
        continue;  // a class that is gone
      else if (event() == Event::kBernoulli)
        sum += features * Repeated::of(counted(docs[c]), alpha, 2);
      else
        sum += Repeated::of(counted(part(all, tokens[c])), alpha, features);
    return sum;
  }
  void change_counts(const Entry* before, const Entry* now, u64 own) {
    const u64 was = before->units(), is = now->units() - own;
    for (u32 i = 1; i <= now->cls; ++i)
      if (before[i].units())
        change(1, part(was, before[i].units()), part(is, left_.left(now[i], own)), is_known(is));
    if (event() == Event::kComplement) change(without(before), was, is, is_known(is));
  }
  NABI_HOT void change(int64_t times, u64 was, u64 is, bool stays) {
    if (stays && is == was) return;
    add(-times, was);
    if (stays) add(times, is);
  }
  // Complement: a class that is gone has been counted as one without any feature.
  void forget_classes(int64_t gone) {
    for (const Times& t : left_.touched()) {
      const u64 was = left_.row_before(t.feature)->units();
      const u64 is = left_.row(t.feature)->units() - left_.own(t);
      if (is_known(was)) change(-gone, was, is, is_known(is));
    }
  }

  // ---- Bernoulli ----

  void add_classes() {
    sum_up(seen_);
    for (size_t c = 0; c < left_.docs.size(); ++c) {
      if (!left_.docs[c]) continue;
      const std::vector<double>& sums = whole(c, left_.docs[c]);
      const double* const never = rows_.of(left_.docs[c]);
      for (size_t a = 0; a < width_; ++a) seen_[a] += sums[a] + double(left_.known) * never[a];
    }
  }
  // As the absences of HeldOutGroup: counts as they were learned, of a class of so many documents.
  const std::vector<double>& whole(size_t c, u64 docs) {
    auto [at, is_new] = wholes_.try_emplace({c, docs});
    std::vector<double>& sums = at->second;
    if (!is_new) return sums;
    sums.assign(width_, 0.0);
    for (const auto& [count, times] : h_.histograms_[c]) {
      if (count > docs) break;
      const double *there = rows_.of(count), *missing = rows_.of(docs - count);
      const double* const never = rows_.of(docs);
      for (size_t a = 0; a < width_; ++a)
        sums[a] += double(times) * (there[a] + missing[a] - never[a]);
    }
    return sums;
  }
  void change_presence(const Entry* before, const Entry* now, u64 own) {
    const bool stays = is_known(now->units() - own);
    for (u32 i = 1; i <= now->cls; ++i) {
      const u64 docs = left_.docs[now[i].cls], was = before[i].units();
      const u64 is = left_.left(now[i], own);
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
  const LeftCounts<Entry>& left_;
  CountRepeats rows_;
  size_t width_;
  CountChanges changes_;
  WaitingRows later_;
  u64 classes_ = 0;       // that have documents
  double looked_up_ = 0;  // how often, for the sums of all
  u32 usual_ = 0;         // the place of the best smoothing of all counts
  double room_ = 0;
  // By smoothing: the sum of all that was counted, in parts and in totals, and of what is left.
  std::vector<double> seen_, all_, totals_, losses_;
  std::map<std::pair<size_t, u64>, std::vector<double>> wholes_;
};

}  // namespace nabi
