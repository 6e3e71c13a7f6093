#include "gram_table.h"

#include <stdexcept>

namespace nabi {

std::vector<Gram> GramTable::pairs() const {
  std::vector<Gram> pairs(size_);
  for (const Slot& s : slots_)
    if (s.key) pairs[s.id] = pair(s.key);
  return pairs;
}

u32 GramTable::insert(u64 key, size_t at) {
  if (size_ >= kMostIds) throw std::length_error("more than 2^31 different n-grams");
  slots_[at] = {key, size_};
  if (size_t{size_ + 1} * 2 > slots_.size()) grow();
  return size_++;
}

void GramTable::grow() {
  Slots<Slot> bigger(slots_.size() * (slots_.size() < 65536 ? 8 : 2));
  const size_t mask = bigger.size() - 1;
  for (const Slot& s : slots_) {
    if (!s.key) continue;
    size_t i = hash(s.key) & mask;
    while (bigger[i].key) i = (i + 1) & mask;
    bigger[i] = s;
  }
  slots_ = std::move(bigger);
}

}  // namespace nabi
