// Insertion and growth of the hash table of words.
#include "vocabulary/word_table.h"

#include <algorithm>
#include <stdexcept>

namespace nabi {

u32 WordTable::insert(const WordKey& k) {
  if (words_.size() >= kMostIds) throw std::length_error("more than 2^31 different words");
  if ((words_.size() + 1) * 2 > slots_.size()) grow();
  size_t i = k.hash & mask();
  while (slots_[i].size) i = (i + 1) & mask();
  const u32 id = size();
  append(k);
  slots_[i] = {k.lo, k.hi, k.hash, k.size, id};
  return id;
}

void WordTable::append(const WordKey& k) {
  if (arena_.size() < used_ + k.size + kBehind)
    arena_.resize(std::max<size_t>(2 * arena_.size(), used_ + k.size + kBehind));
  words_.push_back({used_, k.size});
  u8* const to = arena_.data() + used_;
  if (k.size <= 16) {
    std::memcpy(to, &k.lo, 8);
    std::memcpy(to + 8, &k.hi, 8);
  } else {
    std::memcpy(to, k.bytes, k.size);
  }
  used_ += k.size;
}

// Moves words in the order of their ids. Those that came early are mostly the frequent ones, and so
// get the very slots that their hashes name: a look-up of them seldom takes a second step.
void WordTable::grow() {
  constexpr size_t kAhead = 16;
  Slots<Slot> bigger(slots_.size() * (slots_.size() < 4096 ? 8 : 2));
  const size_t mask = bigger.size() - 1;
  std::vector<u32> at(words_.size());
  for (size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].size) at[slots_[i].id] = u32(i);
  for (size_t id = 0; id < at.size(); ++id) {
    if (id + 2 * kAhead < at.size()) __builtin_prefetch(&slots_[at[id + 2 * kAhead]]);
    if (id + kAhead < at.size()) __builtin_prefetch(&bigger[slots_[at[id + kAhead]].hash & mask]);
    const Slot& s = slots_[at[id]];
    size_t i = s.hash & mask;
    while (bigger[i].size) i = (i + 1) & mask;
    bigger[i] = s;
  }
  slots_ = std::move(bigger);
}

}  // namespace nabi
