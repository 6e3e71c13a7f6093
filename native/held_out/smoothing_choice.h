// Held-out scores of a group with every smoothing, or with the one that is chosen without the
// group. One per thread.
#pragma once

#include <optional>

#include "held_out/group_scorer.h"
#include "held_out/leave_one_out_loss.h"

namespace nabi {

// Scores with every smoothing.
template <class Entry>
class AllSmoothings {
 public:
  AllSmoothings(const HeldOut& h, const std::vector<Entry>& entries, const Learned& learned,
                const Prior& prior)
      : remaining_(h, entries, learned), group_(h, remaining_, learned, prior, h.smoothings()) {}

  // Calls take(document, scores, n(d)) for each document of a group.
  template <class Take>
  void score(std::span<const u32> documents, Take take) {
    group_.score(documents, take);
  }

 private:
  RemainingCounts<Entry> remaining_;
  GroupScorer<Entry> group_;
};

// Scores with the smoothing whose leave-one-out log loss on the remaining counts is least.
template <class Entry>
class BestSmoothing {
 public:
  BestSmoothing(const HeldOut& h, const std::vector<Entry>& entries, const Learned& learned,
                const Prior& prior)
      : h_(h),
        learned_(learned),
        prior_(prior),
        remaining_(h, entries, learned),
        groups_(h.alphas()) {
    if (h.alphas() > 1) loss_.emplace(h, entries, remaining_);
  }

  // Calls take(document, scores, n(d), index of the smoothing) for each document of a group.
  template <class Take>
  void score(std::span<const u32> documents, Take take) {
    if (!loss_) return of(0).score(documents, [&](auto... scored) { take(scored..., 0); });
    const bool is_one = documents.size() == 1;
    if (is_one) {
      remaining_.remove_one(documents[0]);
      remaining_.subtract_bag();
    } else {
      remaining_.remove_group(documents);
    }
    const u32 alpha = loss_->best();
    of(alpha).score_left_out(documents, [&](auto... scored) { take(scored..., alpha); });
    if (!is_one) remaining_.restore();
  }

 private:
  // Few of the smoothings are ever chosen.
  GroupScorer<Entry>& of(u32 alpha) {
    if (!groups_[alpha])
      groups_[alpha] = std::make_unique<GroupScorer<Entry>>(h_, remaining_, learned_, prior_,
                                                            h_.smoothings().subspan(alpha, 1));
    return *groups_[alpha];
  }

  const HeldOut& h_;
  const Learned& learned_;
  const Prior& prior_;
  RemainingCounts<Entry> remaining_;
  std::optional<LeaveOneOutLoss<Entry>> loss_;  // none where there is nothing to choose
  std::vector<std::unique_ptr<GroupScorer<Entry>>> groups_;
};

}  // namespace nabi
