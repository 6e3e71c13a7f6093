// Counting the waiting pairs part by part.
#include "count/pairs.h"

#include <atomic>

#include "platform/threads.h"

namespace nabi {

// Threads begin at different parts, and so seldom wait for each other.
PairCounter::Buffer::Buffer(PairCounter& counter)
    : counter_(counter), first_(counter.buffers_.size() * (kParts / 4 + 1)), parts_(kParts) {
  counter.buffers_.push_back(this);
}

void PairCounter::Buffer::widen(Keys& keys) {
  if (spare_.empty()) {
    RawVector<u64>& slab = slabs_.emplace_back(kSlab);
    for (size_t i = 0; i < kSlab; i += kChunk) spare_.push_back(slab.data() + i);
  }
  keys.chunks.push_back(spare_.back());
  spare_.pop_back();
  keys.at = 0;
  waiting_ += kChunk;
}

void PairCounter::Buffer::flush() {
  for (size_t i = 0; i < kParts; ++i) {
    const size_t p = (first_ + i) % kParts;
    Keys& keys = parts_[p];
    counter_.count(p, keys, counters_);
    spare_.insert(spare_.end(), keys.chunks.begin(), keys.chunks.end());
    keys = {};
  }
  waiting_ = 0;
}

void PairCounter::count(size_t p, const Buffer::Keys& keys, Counters& counters) {
  constexpr size_t kAhead = 8, kFew = limit(4096, 4);
  if (keys.chunks.empty()) return;
  Part& part = parts_[p];
  const std::lock_guard lock(part.mutex);
  if (!part.grams.size) part.grams = GramTable::Part(keys.chunks.size() * Buffer::kChunk);
  u32 cls = kNone;
  for (size_t c = 0; c < keys.chunks.size(); ++c) {
    const u64* const chunk = keys.chunks[c];
    const size_t n = c + 1 == keys.chunks.size() ? keys.at : Buffer::kChunk;
    for (size_t i = 0; i < n; ++i) {
      if (i + kAhead < n) part.grams.prefetch(GramTable::hash(chunk[i + kAhead]));
      const u64 key = chunk[i];
      if (key & kClassMark) [[unlikely]] {
        part.runs.append(cls, counters);
        cls = u32(key);
      } else {
        counters.add(part.grams.intern(key, GramTable::hash(key), part.grams.size), kUnit);
      }
    }
  }
  part.runs.append(cls, counters);
  part.runs.join_if_many(counters, kFew);
}

void PairCounter::finish(GramTable& pairs, Rows& rows, unsigned threads) {
  std::vector<GramTable::Part> grams(kParts);
  std::vector<Rows> part_rows(kParts);
  std::atomic<size_t> next{0};
  on_threads(threads, [&](unsigned) {
    Counters counters;
    Runs own;  // its memory serves one part after another
    for (size_t p; (p = next++) < kParts;) {
      if (parts_[p].runs.ids.empty()) std::swap(parts_[p].runs, own);
      for (const Buffer* buffer : buffers_) count(p, buffer->parts_[p], counters);
      own = std::move(parts_[p].runs);
      own.join(counters);
      part_rows[p].build(parts_[p].grams.size, [&](auto take) {
        size_t i = 0;
        for (const Runs::Run& run : own.runs)
          for (; i < run.end; ++i) take(own.ids[i], run.cls, own.counts[i]);
      });
      grams[p] = std::move(parts_[p].grams);
      own.clear();
    }
  });
  pairs = GramTable(std::move(grams), threads);
  rows = Rows(std::move(part_rows), threads);
}

}  // namespace nabi
