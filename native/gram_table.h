// Word n-grams to ids. An n-gram is the pair (its first n-1 words, its last word), both known by
// their ids: comparing two numbers compares the whole strings, and no string is ever built.
#pragma once

#include <vector>

#include "hash.h"
#include "slots.h"
#include "word_table.h"

namespace nabi {

inline constexpr u32 kGramBit = u32{1} << 31;  // marks a prefix that is itself an n-gram

struct Gram {
  u32 prefix;  // a word's id, or an n-gram's with kGramBit
  u32 last;    // a word's id
};

class GramTable {
 public:
  GramTable() : slots_(kFirstSize), seed_(table_seed()) {}

  // A pair as one number, never 0.
  static u64 key(u32 prefix, u32 last) { return (u64{prefix} << 32 | last) + 1; }
  static u64 key(Gram gram) { return key(gram.prefix, gram.last); }
  static Gram pair(u64 key) { return {u32((key - 1) >> 32), u32(key - 1)}; }

  u64 hash(u64 key) const { return fold(key ^ seed_.a, seed_.b | 1); }
  void prefetch(u64 hash) const { __builtin_prefetch(&slots_[hash & mask()]); }

  u32 find(u64 key, u64 hash) const {
    for (size_t i = hash & mask();; i = (i + 1) & mask()) {
      const Slot& s = slots_[i];
      if (s.key == key) return s.id;
      if (s.key == 0) return kNone;
    }
  }
  u32 find(u64 key) const { return find(key, hash(key)); }
  u32 intern(u64 key, u64 hash) {
    size_t i = hash & mask();
    for (; slots_[i].key; i = (i + 1) & mask())
      if (slots_[i].key == key) return slots_[i].id;
    return insert(key, i);
  }
  u32 intern(u64 key) { return intern(key, hash(key)); }

  u32 size() const { return size_; }
  // All n-grams by id: a prefix always comes before what it starts.
  std::vector<Gram> pairs() const;

 private:
  static constexpr size_t kFirstSize = 64;
  struct Slot {
    u64 key;  // 0: free
    u32 id;
  };
  size_t mask() const { return slots_.size() - 1; }
  u32 insert(u64 key, size_t at);
  void grow();

  Slots<Slot> slots_;
  u32 size_ = 0;
  TableSeed seed_;
};

}  // namespace nabi
