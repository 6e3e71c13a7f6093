// Hash table from exact strings to ids, numbered in the order of first occurrence. Open addressing.
// A word of up to 16 bytes is compared in its slot, a longer one in the arena: always the full key.
#pragma once

#include <bit>
#include <span>
#include <vector>

#include "platform/huge_pages.h"
#include "vocabulary/hash.h"

namespace nabi {

static_assert(std::endian::native == std::endian::little, "keys are loaded little-endian");

inline constexpr u32 kNone = UINT32_MAX;
inline constexpr u32 kMostIds = u32{1} << 31;

// Key of a word: its 16 bytes, zero-padded; for a longer word its hash, twice.
struct WordKey {
  u64 lo, hi;
  u64 hash;
  const u8* bytes;
  u32 size;
};

class WordTable {
 public:
  WordTable() : slots_(kFirstSize) {}

  // What a look-up reads, for a loop to keep in registers; good until the table gets a word.
  class View;
  NABI_HOT View view() const;

  // `bytes` must be readable up to 16 bytes from its start.
  WordKey key(const u8* bytes, u32 size) const;

  // As key(), for bytes at the end of a buffer: reads nothing behind them.
  WordKey safe_key(std::span<const u8> bytes) const {
    const u32 size = u32(bytes.size());
    if (size > 16) return key(bytes.data(), size);
    u8 padded[16] = {};
    if (size) std::memcpy(padded, bytes.data(), size);
    WordKey k = key(padded, size);
    k.bytes = bytes.data();
    return k;
  }

  void prefetch(const WordKey& k) const;
  u32 find(const WordKey& k) const;
  // The id of a word that may be new. An empty word has none.
  u32 intern(const WordKey& k);
  u32 intern(std::span<const u8> bytes) { return intern(safe_key(bytes)); }
  u32 find(std::span<const u8> bytes) const {
    return bytes.empty() ? kNone : find(safe_key(bytes));
  }

  u32 size() const { return u32(words_.size()); }
  std::span<const u8> bytes(u32 id) const {
    return {arena_.data() + words_[id].offset, words_[id].size};
  }
  // The key of a word of another table. Its bytes are readable behind their end.
  WordKey key_of(const WordTable& other, u32 id) const {
    return key(other.arena_.data() + other.words_[id].offset, other.words_[id].size);
  }
  // Adds a word that is known to be new.
  u32 insert(const WordKey& k);

 private:
  static constexpr size_t kFirstSize = 64, kBehind = 16;
  struct Slot {
    u64 lo, hi;
    u64 hash;
    u32 size;  // 0: free
    u32 id;
  };
  struct Word {
    u64 offset;
    u32 size;
  };
  alignas(64) static constexpr u8 kMasks[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                255, 255, 255, 255, 255, 255, 255, 255};

  size_t mask() const { return slots_.size() - 1; }
  bool same_bytes(u32 id, const WordKey& k) const {
    return std::memcmp(arena_.data() + words_[id].offset, k.bytes, k.size) == 0;
  }
  void append(const WordKey& k);
  void grow();

  Slots<Slot> slots_;
  std::vector<Word> words_;
  RawVector<u8> arena_;  // the words end to end, then at least kBehind bytes of anything
  size_t used_ = 0;
};

class WordTable::View {
 public:
  NABI_HOT explicit View(const WordTable& table)
      : table_(table), slots_(table.slots_.begin()), mask_(table.mask()), seed_(table_seed) {}

  NABI_HOT WordKey key(const u8* bytes, u32 size) const {
    typedef u64 Two __attribute__((vector_size(16)));
    Two key;
    if (size <= 16) [[likely]] {
      Two mask;
      std::memcpy(&key, bytes, 16);
      std::memcpy(&mask, kMasks + 16 - size, 16);
      key &= mask;
    } else {
      const u64 h = hash64(bytes, size, seed_.a);
      key = Two{h, h};
    }
    return {key[0], key[1], fold(key[0] ^ seed_.a, key[1] ^ seed_.b), bytes, size};
  }

  NABI_HOT void prefetch(const WordKey& k) const { __builtin_prefetch(slots_ + (k.hash & mask_)); }

  NABI_HOT u32 find(const WordKey& k) const {
    for (size_t i = k.hash & mask_;; i = (i + 1) & mask_) {
      const Slot& s = slots_[i];
      if (((s.lo ^ k.lo) | (s.hi ^ k.hi) | (s.size ^ k.size)) == 0) {
        if (k.size <= 16 || table_.same_bytes(s.id, k)) [[likely]]
          return s.id;
      }
      if (s.size == 0) return kNone;
    }
  }

 private:
  const WordTable& table_;
  const Slot* const slots_;
  const size_t mask_;
  const TableSeed seed_;
};

NABI_HOT WordTable::View WordTable::view() const { return View(*this); }
NABI_HOT WordKey WordTable::key(const u8* bytes, u32 size) const { return view().key(bytes, size); }
NABI_HOT void WordTable::prefetch(const WordKey& k) const { view().prefetch(k); }
NABI_HOT u32 WordTable::find(const WordKey& k) const { return view().find(k); }
NABI_HOT u32 WordTable::intern(const WordKey& k) {
  const u32 id = find(k);
  return id != kNone ? id : insert(k);
}

}  // namespace nabi
