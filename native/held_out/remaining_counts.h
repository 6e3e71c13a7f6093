// The counts without one group of documents after another. One per thread. Only held_out_group.h
// includes it.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "held_out/held_out.h"

namespace nabi {

template <class Entry>
class LeftCounts {
 public:
  using Bag = std::span<const Times>;
  std::vector<u64> docs, tokens;  // by class
  u64 known = 0;                  // features

  LeftCounts(const HeldOut& h, const std::vector<Entry>& entries, const Learned& learned)
      : h_(h), before_(entries), learned_(learned) {}

  // A single document: its own counts are subtracted where they are read, and its tokens where
  // take_own() is called for each of its features, or take_all().
  void leave_one(u32 d) {
    begin(before_.data());
    own_class_ = learned_.classes[d];
    own_units_ = units(d);
    take(docs[own_class_], own_units_);
    if (own_units_) own_bag_ = learned_.bags[d];
  }
  void take_all() {
    for (size_t i = 0; own_units_ && i < own_bag_.size(); ++i) {
      fetch_ahead(own_bag_, i);
      take_own(row(own_bag_[i].feature), own(own_bag_[i]));
    }
    is_taken_ = true;
  }
  // Several: theirs are subtracted from counts of the thread's own, until restore().
  void leave_all(std::span<const u32> documents) {
    if (left_.empty()) {
      left_ = before_;
      is_touched_.resize(h_.offsets_.size());
    }
    begin(left_.data());
    for (const u32 d : documents) subtract(d);
    for (const Times& t : touched_) take_tokens(row_before(t.feature), row(t.feature));
  }
  void restore() {
    for (const Times& t : touched_) {
      const Entry* const before = row_before(t.feature);
      is_touched_[t.feature] = 0;
      std::copy_n(before, before->cls + 1, left_.begin() + ptrdiff_t(h_.offsets_[t.feature]));
    }
  }

  const Entry* row(u32 feature) const { return entries_ + h_.offsets_[feature]; }
  const Entry* row_before(u32 feature) const { return before_.data() + h_.offsets_[feature]; }
  // What the single document takes from a row beyond what is subtracted there.
  NABI_HOT u64 own(const Times& t) const { return own_units_ * t.n; }
  NABI_HOT u64 left(const Entry& cell, u64 own) const {
    return cell.units() - (cell.cls == own_class_ ? own : 0);
  }
  NABI_HOT void take_own(const Entry* row, u64 own) {
    u64 there = 0;
    for (u32 i = 1; i <= row->cls; ++i) there = row[i].cls == own_class_ ? row[i].units() : there;
    if (own > there) unlearned();
    if (row->units() < h_.weighing_.least) return;
    if (row->units() - own >= h_.weighing_.least) [[likely]]
      take(tokens[own_class_], own);
    else
      lose(row);
  }
  // The features of which something is taken; those of a single document in its own order.
  Bag touched() const { return own_units_ ? own_bag_ : Bag(touched_); }
  bool is_single() const { return own_units_ != 0; }
  bool is_taken() const { return is_taken_; }
  void fetch_ahead(Bag bag, size_t i) const {
    if (i + kAhead < bag.size()) __builtin_prefetch(row(bag[i + kAhead].feature));
  }

 private:
  static constexpr size_t kAhead = 12;  // features

  u64 units(u32 d) const { return learned_.units.empty() ? kUnit : learned_.units[d]; }
  static void unlearned() {
    throw std::invalid_argument(
        "documents that were not learned as they are given; expected those that the model learned");
  }
  static void take(u64& from, u64 units) {
    if (units > from) unlearned();
    from -= units;
  }
  void begin(const Entry* entries) {
    docs = h_.docs_;
    tokens = h_.tokens_;
    known = h_.known_;
    entries_ = entries;
    own_class_ = kNone;
    own_units_ = 0;
    is_taken_ = false;
    touched_.clear();
  }
  void subtract(u32 d) {
    const u64 all = units(d);
    if (!all) return;
    const u32 cls = learned_.classes[d];
    take(docs[cls], all);
    const Bag bag = learned_.bags[d];
    for (size_t i = 0; i < bag.size(); ++i) {
      fetch_ahead(bag, i);
      touch(bag[i]);
      Entry* const row = left_.data() + h_.offsets_[bag[i].feature];
      Entry* cell = row + 1;
      while (cell <= row + row->cls && cell->cls != cls) ++cell;
      const u64 own = all * bag[i].n;
      if (cell > row + row->cls || own > cell->units()) unlearned();
      cell->subtract(own);
      row->subtract(own);
    }
  }
  NABI_HOT void touch(const Times& t) {
    u8& is_touched = is_touched_[t.feature];
    if (!is_touched) touched_.push_back(t);
    is_touched = 1;
  }
  void take_tokens(const Entry* before, const Entry* now) {
    if (before->units() < h_.weighing_.least) return;
    if (now->units() < h_.weighing_.least) return lose(before);
    for (u32 i = 1; i <= now->cls; ++i)
      take(tokens[now[i].cls], before[i].units() - now[i].units());
  }
  // The vocabulary loses a feature.
  void lose(const Entry* before) {
    --known;
    for (u32 i = 1; i <= before->cls; ++i) take(tokens[before[i].cls], before[i].units());
  }

  const HeldOut& h_;
  const std::vector<Entry>& before_;
  const Learned& learned_;
  const Entry* entries_ = nullptr;
  u32 own_class_ = kNone;
  u64 own_units_ = 0;
  bool is_taken_ = false;
  Bag own_bag_;
  std::vector<Entry> left_;
  std::vector<u8> is_touched_;
  std::vector<Times> touched_;
};

}  // namespace nabi
