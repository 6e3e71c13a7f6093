// Hash table from word n-grams to ids. An n-gram is a pair of ids: its first n-1 words and its last
// word. Comparing two numbers compares whole n-grams, and no string is built.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "platform/huge_pages.h"
#include "vocabulary/hash.h"
#include "vocabulary/word_table.h"

namespace nabi {

inline constexpr u32 kGramBit = u32{1} << 31;  // marks a prefix that is itself an n-gram

struct Gram {
  u32 prefix;  // a word's id, or an n-gram's with kGramBit
  u32 last;    // a word's id
};

class GramTable {
 public:
  static constexpr u32 kPartBits = 8;  // log2 of the number of parts of a partitioned table

  // A part: the n-grams whose hashes begin with the same bits. Open addressing.
  struct Part {
    struct Slot {
      u64 key;  // 0: free
      u32 id;
    };
    Slots<Slot> slots{64};
    u32 size = 0;

    Part() = default;
    // Reserves room for about a quarter as many n-grams as there will be look-ups.
    explicit Part(size_t asked) : slots(std::bit_ceil(std::max<size_t>(64, asked / 3))) {}

    size_t mask() const { return slots.size() - 1; }
    NABI_HOT void prefetch(u64 hash) const { __builtin_prefetch(&slots[hash & mask()]); }
    NABI_HOT u32 find(u64 key, u64 hash) const {
      for (size_t i = hash & mask();; i = (i + 1) & mask()) {
        const Slot& s = slots[i];
        if (s.key == key) return s.id;
        if (s.key == 0) return kNone;
      }
    }
    // The n-gram's id, which is `fresh` if it is new.
    NABI_HOT u32 intern(u64 key, u64 hash, u32 fresh) {
      size_t i = hash & mask();
      for (; slots[i].key; i = (i + 1) & mask())
        if (slots[i].key == key) return slots[i].id;
      slots[i] = {key, fresh};
      if (size_t{++size} * 4 > slots.size() * 3) grow();
      return fresh;
    }
    // Adds an n-gram that is known to be new and to have room. Threads may add at the same time.
    NABI_HOT void insert(u64 key, u64 hash, u32 id) {
      for (size_t i = hash & mask();; i = (i + 1) & mask()) {
        u64 free = 0;
        if (!__atomic_compare_exchange_n(&slots[i].key, &free, key, false, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED))
          continue;
        slots[i].id = id;
        return;
      }
    }
    void grow();
  };

  explicit GramTable(u32 bits = 0);
  // A table with room for so many n-grams, all of which insert() must add before any is looked up.
  static GramTable with_room(u32 n, unsigned threads);
  // Takes parts whose ids each begin at 0, and numbers them through.
  GramTable(std::vector<Part>&& parts, unsigned threads);

  // A pair as one number, never 0.
  static u64 key(u32 prefix, u32 last) { return (u64{prefix} << 32 | last) + 1; }
  static Gram pair(u64 key) { return {u32((key - 1) >> 32), u32(key - 1)}; }

  static u64 hash(u64 key) { return fold(key ^ table_seed.a, table_seed.b | 1); }
  // With one part, all hashes fall into it: a shift by 64 in two steps.
  size_t part(u64 hash) const { return hash >> 1 >> shift_; }
  NABI_HOT void prefetch(u64 hash) const { parts_[part(hash)].prefetch(hash); }

  u32 find(u64 key, u64 hash) const { return parts_[part(hash)].find(key, hash); }
  u32 find(u64 key) const { return find(key, hash(key)); }
  u32 intern(u64 key, u64 hash);
  u32 intern(u64 key) { return intern(key, hash(key)); }
  // Adds an n-gram that is known to be new, with an id below the table's size. For any thread.
  NABI_HOT void insert(u64 key, u64 hash, u32 id) { parts_[part(hash)].insert(key, hash, id); }

  u32 size() const { return size_; }
  // All n-grams by id: a prefix always comes before what it starts.
  RawVector<Gram> pairs(unsigned threads = 1) const;
  // Calls use(n-gram, id) for those of the parts that are a thread's share, in no order.
  template <class Use>
  void each(unsigned thread, unsigned threads, Use use) const {
    const size_t n = parts_.size();
    for (size_t p = n * thread / threads; p < n * (thread + 1) / threads; ++p)
      for (const Part::Slot& s : parts_[p].slots)
        if (s.key) use(pair(s.key), s.id);
  }

 private:
  std::shared_ptr<RawVector<Part::Slot>> slab_;  // in which parts lie until they grow
  std::vector<Part> parts_;
  u32 shift_;
  u32 size_ = 0;
};

}  // namespace nabi
