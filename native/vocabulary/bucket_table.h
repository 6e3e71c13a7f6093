// Table from hash buckets to ids, numbered in the order of first occurrence. Its memory follows the
// buckets that were met: a hash table, and an array by bucket once that is no larger.
#pragma once

#include "platform/huge_pages.h"
#include "vocabulary/gram_table.h"

namespace nabi {

class BucketTable {
 public:
  explicit BucketTable(u64 buckets) : n_(buckets) {}

  NABI_HOT void prefetch(u32 bucket) const {
    if (!direct_.empty()) return nabi::prefetch(direct_.data(), bucket);
    __builtin_prefetch(&hashed_.slots[GramTable::hash(key(bucket)) & hashed_.mask()]);
  }
  // kNone where there is none.
  NABI_HOT u32 find(u32 bucket) const {
    if (!direct_.empty()) return direct_[bucket];
    return hashed_.find(key(bucket), GramTable::hash(key(bucket)));
  }
  NABI_HOT u32 intern(u32 bucket) {
    const u32 id = find(bucket);
    return id != kNone ? id : insert(bucket);
  }

  u32 size() const { return u32(met_.size()); }
  u32 bucket(u32 id) const { return met_[id]; }

 private:
  static u64 key(u32 bucket) { return u64{bucket} + 1; }

  u32 insert(u32 bucket) {
    const u32 id = size();
    met_.push_back(bucket);
    if (!direct_.empty()) return direct_[bucket] = id;
    hashed_.intern(key(bucket), GramTable::hash(key(bucket)), id);
    if (hashed_.slots.size() * sizeof(GramTable::Part::Slot) < n_ * sizeof(u32)) return id;
    direct_.assign(n_, kNone);
    for (u32 i = 0; i < size(); ++i) direct_[met_[i]] = i;
    hashed_ = {};
    return id;
  }

  u64 n_;
  GramTable::Part hashed_;
  HugeVector<u32> direct_;
  std::vector<u32> met_;  // by id
};

}  // namespace nabi
