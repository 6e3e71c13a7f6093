// Insertion and growth of the hash table of words.
#include "vocabulary/word_table.h"

#include <stdexcept>

namespace nabi {

u32 WordTable::insert(const WordKey& k) {
  if (words_.size() >= kMostIds) throw std::length_error("more than 2^31 different words");
  if ((words_.size() + 1) * 2 > slots_.size()) grow();
  size_t i = k.hash & mask();
  while (slots_[i].size) i = (i + 1) & mask();
  const u32 id = size();
  slots_[i] = {k.lo, k.hi, k.hash, k.size, id};
  words_.push_back({arena_.size(), k.size});
  arena_.insert(arena_.end(), k.bytes, k.bytes + k.size);
  return id;
}

void WordTable::grow() {
  Slots<Slot> bigger(slots_.size() * (slots_.size() < 4096 ? 8 : 2));
  const size_t mask = bigger.size() - 1;
  for (const Slot& s : slots_) {
    if (!s.size) continue;
    size_t i = s.hash & mask;
    while (bigger[i].size) i = (i + 1) & mask;
    bigger[i] = s;
  }
  slots_ = std::move(bigger);
}

}  // namespace nabi
