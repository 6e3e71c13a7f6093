// Counts of word pairs, by hash partitioning. Millions of pairs, counted in the order of the text,
// would each be a cache miss in one large table. So each thread keeps its pairs for a while,
// partitioned by hash, and counts part by part, each in a table of its own that is small. All
// threads share the parts, one at a time, so that nothing is merged in the end.
#pragma once

#include <memory>
#include <mutex>

#include "count/count_table.h"
#include "count/tally.h"

namespace nabi {

class PairCounter {
 public:
  static constexpr u32 kPartBits = GramTable::kPartBits;
  static constexpr size_t kParts = size_t{1} << kPartBits;

  // The pairs of one thread that wait to be counted.
  class Buffer {
   public:
    explicit Buffer(PairCounter& counter);
    Buffer(const Buffer&) = delete;
    // A pair of word ids, which all threads must share, in the class that was begun.
    NABI_HOT void push(u64 key) {
      push_to(parts_[counter_.table_.part(GramTable::hash(key))], key);
    }
    void begin(u32 cls) { cls_ = cls; }
    // Counts what waits, where it is much.
    void end_document() {
      if (waiting_ >= kMost) flush();
    }

   private:
    static constexpr size_t kMost = limit(size_t{1} << 23, 8), kChunk = limit(512, 4);
    static constexpr size_t kSlab = 1024 * kChunk;
    struct Keys {
      std::vector<u64*> chunks;
      size_t at = kChunk;  // in the last chunk
      u32 cls = kNone;     // of the keys that came last
    };
    NABI_HOT void push_to(Keys& keys, u64 key) {
      if (keys.cls != cls_) [[unlikely]] {
        keys.cls = cls_;
        put(keys, kClassMark | cls_);
      }
      put(keys, key);
    }
    NABI_HOT void put(Keys& keys, u64 key) {
      if (keys.at == kChunk) [[unlikely]]
        widen(keys);
      keys.chunks.back()[keys.at++] = key;
    }
    void widen(Keys& keys);
    void flush();

    PairCounter& counter_;
    size_t first_;  // the part that is counted first
    std::vector<Keys> parts_;
    std::vector<RawVector<u64>> slabs_;  // which hold the chunks
    std::vector<u64*> spare_;            // chunks that are free
    size_t waiting_ = 0;                 // keys that the other chunks have room for
    u32 cls_ = kNone;
    Counters counters_;  // zero but while a part is counted
    friend class PairCounter;
  };

  // Gives all pairs, those in the buffers included, and their counts.
  void finish(GramTable& pairs, Rows& rows, unsigned threads);

 private:
  static constexpr u64 kClassMark = u64{1} << 63;  // which no pair of words has
  struct Part {
    std::mutex mutex;
    GramTable::Part grams;
    Runs runs;
  };
  void count(size_t p, const Buffer::Keys& keys, Counters& counters);

  std::vector<Buffer*> buffers_;
  const GramTable table_{kPartBits};  // its partition; it stays empty
  std::vector<Part> parts_ = std::vector<Part>(kParts);
};

}  // namespace nabi
