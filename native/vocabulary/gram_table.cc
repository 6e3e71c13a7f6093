// Growth and partitions of the hash table of n-grams.
#include "vocabulary/gram_table.h"

#include <stdexcept>

#include "platform/threads.h"

namespace nabi {

GramTable::GramTable(u32 bits) : parts_(size_t{1} << bits), shift_(63 - bits) {}

GramTable::GramTable(std::vector<Part>&& parts, unsigned threads)
    : parts_(std::move(parts)), shift_(63 - kPartBits) {
  // All parts in one piece of memory with huge pages: a look-up anywhere in many small ones would
  // miss the pages' addresses as well.
  std::vector<size_t> at(parts_.size() + 1);
  std::vector<u32> first(parts_.size());
  u64 size = 0;
  for (size_t p = 0; p < parts_.size(); ++p) {
    first[p] = u32(size);
    size += parts_[p].size;
    at[p + 1] = at[p] + parts_[p].slots.size();
  }
  if (size >= kMostIds) throw std::length_error("more than 2^31 different n-grams");
  size_ = u32(size);
  slab_ = std::make_shared<RawVector<Part::Slot>>(at.back());
  on_threads(threads, [&](unsigned t) {
    for (size_t p = t; p < parts_.size(); p += threads) {
      Part::Slot* to = slab_->data() + at[p];
      Slots<Part::Slot> moved(to, parts_[p].slots.size());
      for (const Part::Slot& s : parts_[p].slots) *to++ = {s.key, s.key ? s.id + first[p] : 0};
      parts_[p].slots = std::move(moved);
    }
  });
}

GramTable GramTable::with_room(u32 n, unsigned threads) {
  GramTable table;
  Part& part = table.parts_[0];
  const size_t slots = std::bit_ceil(std::max<size_t>(part.slots.size(), size_t{n} * 4 / 3 + 1));
  part.slots = Slots<Part::Slot>(slots, threads);
  part.size = table.size_ = n;
  return table;
}

u32 GramTable::intern(u64 key, u64 hash) {
  const u32 id = parts_[part(hash)].intern(key, hash, size_);
  if (id != size_) return id;
  if (++size_ >= kMostIds) throw std::length_error("more than 2^31 different n-grams");
  return id;
}

RawVector<Gram> GramTable::pairs(unsigned threads) const {
  RawVector<Gram> pairs(size_);
  on_threads(threads,
             [&](unsigned t) { each(t, threads, [&](Gram gram, u32 id) { pairs[id] = gram; }); });
  return pairs;
}

void GramTable::Part::grow() {
  Slots<Slot> bigger(slots.size() * (slots.size() < 4096 ? 8 : 2));
  const size_t mask = bigger.size() - 1;
  for (const Slot& s : slots) {
    if (!s.key) continue;
    size_t i = hash(s.key) & mask;
    while (bigger[i].key) i = (i + 1) & mask;
    bigger[i] = s;
  }
  slots = std::move(bigger);
}

}  // namespace nabi
