// What the model without a group says of the group's documents: for each smoothing, or for the one
// that suits what is left. One per thread. Only held_out.cc includes it.
#pragma once

#include <optional>

#include "held_out/group_scorer.h"
#include "held_out/leave_one_out_loss.h"

namespace nabi {

// For each smoothing.
template <class Entry>
class EveryGroup {
 public:
  EveryGroup(const HeldOut& h, const std::vector<Entry>& entries, const Learned& learned,
             const Prior& prior)
      : left_(h, entries, learned), group_(h, left_, learned, prior, h.smoothings()) {}

  // take(document, scores, n(d)) for each document of a group.
  template <class Take>
  void score(std::span<const u32> documents, Take take) {
    group_.score(documents, take);
  }

 private:
  LeftCounts<Entry> left_;
  HeldOutGroup<Entry> group_;
};

// For the smoothing with which what is left is least surprised by itself.
template <class Entry>
class ChosenGroup {
 public:
  ChosenGroup(const HeldOut& h, const std::vector<Entry>& entries, const Learned& learned,
              const Prior& prior)
      : h_(h), learned_(learned), prior_(prior), left_(h, entries, learned), groups_(h.alphas()) {
    if (h.alphas() > 1) surprise_.emplace(h, entries, left_);
  }

  // take(document, scores, n(d), the place of the smoothing) for each document of a group.
  template <class Take>
  void score(std::span<const u32> documents, Take take) {
    if (!surprise_) return of(0).score(documents, [&](auto... scored) { take(scored..., 0); });
    const bool is_one = documents.size() == 1;
    if (is_one) {
      left_.leave_one(documents[0]);
      left_.take_all();
    } else {
      left_.leave_all(documents);
    }
    const u32 alpha = surprise_->least();
    of(alpha).score_left(documents, [&](auto... scored) { take(scored..., alpha); });
    if (!is_one) left_.restore();
  }

 private:
  // Few of the smoothings are ever chosen.
  HeldOutGroup<Entry>& of(u32 alpha) {
    if (!groups_[alpha])
      groups_[alpha] = std::make_unique<HeldOutGroup<Entry>>(h_, left_, learned_, prior_,
                                                             h_.smoothings().subspan(alpha, 1));
    return *groups_[alpha];
  }

  const HeldOut& h_;
  const Learned& learned_;
  const Prior& prior_;
  LeftCounts<Entry> left_;
  std::optional<LeftSurprise<Entry>> surprise_;  // none where there is nothing to choose
  std::vector<std::unique_ptr<HeldOutGroup<Entry>>> groups_;
};

}  // namespace nabi
