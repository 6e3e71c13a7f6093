// Counts that remain when a group of documents is removed. One per thread.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "held_out/held_out.h"

namespace nabi {

template <class Entry>
class RemainingCounts {
 public:
  using Bag = std::span<const Times>;
  std::vector<u64> docs, tokens;  // by class
  u64 known = 0;                  // features

  RemainingCounts(const HeldOut& h, const std::vector<Entry>& entries, const Learned& learned)
      : h_(h), before_(entries), learned_(learned) {}

  // Removes a single document. Its counts are subtracted where they are read: own(), count(). Its
  // tokens are subtracted by subtract_bag(), or by subtract_own() for each of its features.
  void remove_one(u32 d) {
    begin(before_.data());
    own_class_ = learned_.classes[d];
    own_units_ = units(d);
    subtract_checked(docs[own_class_], own_units_);
    if (own_units_) own_bag_ = learned_.bags[d];
  }
  void subtract_bag() {
    for (size_t i = 0; own_units_ && i < own_bag_.size(); ++i) {
      fetch_ahead(own_bag_, i);
      subtract_own(row(own_bag_[i].feature), own(own_bag_[i]));
    }
    is_subtracted_ = true;
  }
  // Removes several documents from a copy of the counts, until restore().
  void remove_group(std::span<const u32> documents) {
    if (entries_left_.empty()) {
      entries_left_ = before_;
      is_touched_.resize(h_.offsets_.size());
    }
    begin(entries_left_.data());
    for (const u32 d : documents) subtract(d);
    for (const Times& t : touched_) subtract_tokens(row_before(t.feature), row(t.feature));
  }
  void restore() {
    for (const Times& t : touched_) {
      const Entry* const before = row_before(t.feature);
      is_touched_[t.feature] = 0;
      std::copy_n(before, before->cls + 1,
                  entries_left_.begin() + ptrdiff_t(h_.offsets_[t.feature]));
    }
  }

  const Entry* row(u32 feature) const { return entries_ + h_.offsets_[feature]; }
  const Entry* row_before(u32 feature) const { return before_.data() + h_.offsets_[feature]; }
  // Units of the single document that are still in a row; 0 for several documents.
  NABI_HOT u64 own(const Times& t) const { return own_units_ * t.n; }
  // Units of a class that remain in a row.
  NABI_HOT u64 count(const Entry& cell, u64 own) const {
    return cell.units() - (cell.cls == own_class_ ? own : 0);
  }
  NABI_HOT void subtract_own(const Entry* row, u64 own) {
    u64 there = 0;
    for (u32 i = 1; i <= row->cls; ++i) there = row[i].cls == own_class_ ? row[i].units() : there;
    if (own > there) refuse_unlearned();
    if (row->units() < h_.weighing_.least) return;
    if (row->units() - own >= h_.weighing_.least) [[likely]]
      subtract_checked(tokens[own_class_], own);
    else
      drop_feature(row);
  }
  // Features whose counts change; those of a single document in its own order.
  Bag touched() const { return own_units_ ? own_bag_ : Bag(touched_); }
  bool is_single() const { return own_units_ != 0; }
  bool is_subtracted() const { return is_subtracted_; }
  void fetch_ahead(Bag bag, size_t i) const {
    if (i + kAhead < bag.size()) __builtin_prefetch(row(bag[i + kAhead].feature));
  }

 private:
  static constexpr size_t kAhead = 12;  // features

  u64 units(u32 d) const { return learned_.units.empty() ? kUnit : learned_.units[d]; }
  static void refuse_unlearned() {
    throw std::invalid_argument(
        "documents that were not learned as they are given; expected those that the model learned");
  }
  static void subtract_checked(u64& from, u64 units) {
    if (units > from) refuse_unlearned();
    from -= units;
  }
  void begin(const Entry* entries) {
    docs = h_.docs_;
    tokens = h_.tokens_;
    known = h_.known_;
    entries_ = entries;
    own_class_ = kNone;
    own_units_ = 0;
    is_subtracted_ = false;
    touched_.clear();
  }
  void subtract(u32 d) {
    const u64 all = units(d);
    if (!all) return;
    const u32 cls = learned_.classes[d];
    subtract_checked(docs[cls], all);
    const Bag bag = learned_.bags[d];
    for (size_t i = 0; i < bag.size(); ++i) {
      fetch_ahead(bag, i);
      touch(bag[i]);
      Entry* const row = entries_left_.data() + h_.offsets_[bag[i].feature];
      Entry* cell = row + 1;
      while (cell <= row + row->cls && cell->cls != cls) ++cell;
      const u64 own = all * bag[i].n;
      if (cell > row + row->cls || own > cell->units()) refuse_unlearned();
      cell->subtract(own);
      row->subtract(own);
    }
  }
  NABI_HOT void touch(const Times& t) {
    u8& is_touched = is_touched_[t.feature];
    if (!is_touched) touched_.push_back(t);
    is_touched = 1;
  }
  void subtract_tokens(const Entry* before, const Entry* now) {
    if (before->units() < h_.weighing_.least) return;
    if (now->units() < h_.weighing_.least) return drop_feature(before);
    for (u32 i = 1; i <= now->cls; ++i)
      subtract_checked(tokens[now[i].cls], before[i].units() - now[i].units());
  }
  // Removes a feature from the vocabulary, with all its tokens.
  void drop_feature(const Entry* before) {
    --known;
    for (u32 i = 1; i <= before->cls; ++i)
      subtract_checked(tokens[before[i].cls], before[i].units());
  }

  const HeldOut& h_;
  const std::vector<Entry>& before_;
  const Learned& learned_;
  const Entry* entries_ = nullptr;
  u32 own_class_ = kNone;
  u64 own_units_ = 0;
  bool is_subtracted_ = false;
  Bag own_bag_;
  std::vector<Entry> entries_left_;
  std::vector<u8> is_touched_;
  std::vector<Times> touched_;
};

}  // namespace nabi
