// Partitioning the bigrams by hash, and counting part by part.
#include "count/bigrams.h"

#include <atomic>
#include <memory>

#include "count/tally.h"
#include "platform/threads.h"

namespace nabi {
namespace {

constexpr u32 kPartBits = GramTable::kPartBits;
constexpr size_t kParts = size_t{1} << kPartBits;

// Keys in the order of their coming, in chunks that never move.
class Keys {
 public:
  NABI_HOT void push(u64 key) {
    if (at_ == kChunk) [[unlikely]] {
      chunks_.push_back(std::make_unique_for_overwrite<u64[]>(kChunk));
      at_ = 0;
    }
    chunks_.back()[at_++] = key;
  }
  size_t size() const { return chunks_.empty() ? 0 : (chunks_.size() - 1) * kChunk + at_; }
  template <class Take>
  void each(size_t begin, size_t end, Take take) const {
    while (begin < end) {
      const size_t stop = std::min(end, (begin / kChunk + 1) * kChunk);
      const u64* const chunk = chunks_[begin / kChunk].get();
      for (; begin < stop; ++begin) take(chunk[begin % kChunk]);
    }
  }

 private:
  static constexpr size_t kChunk = 1024;
  std::vector<std::unique_ptr<u64[]>> chunks_;
  size_t at_ = kChunk;
};

// The pairs of one stream, by part; ends[r] holds for each part where the run r ends.
struct Pairs {
  std::vector<Keys> parts = std::vector<Keys>(kParts);
  std::vector<u32> classes;
  std::vector<u32> ends;

  void close(u32 cls) {
    classes.push_back(cls);
    for (const Keys& part : parts) ends.push_back(u32(part.size()));
  }
};

template <bool kBinary>
Pairs pair_up(const WordStream& stream, const std::vector<u32>& map, const GramTable& table,
              std::vector<u64>& tokens) {
  Pairs out;
  std::vector<u64> document;
  const auto push = [&](u64 key) { out.parts[table.part(table.hash(key))].push(key); };
  size_t at = 0;
  for (const WordStream::Run& run : stream.runs) {
    u64 n = 0;
    u32 before = kNone;
    for (; at < run.end; ++at) {
      u32 id = stream.ids[at];
      if (id == kNone) {
        if constexpr (kBinary) {
          std::sort(document.begin(), document.end());
          document.erase(std::unique(document.begin(), document.end()), document.end());
          for (const u64 key : document) push(key);
          n += document.size();
          document.clear();
        }
        before = kNone;
        continue;
      }
      if (!map.empty()) id = map[id];
      if (before != kNone) {
        const u64 key = GramTable::key(before, id);
        if constexpr (kBinary)
          document.push_back(key);
        else
          push(key), ++n;
      }
      before = id;
    }
    tokens[run.cls] += n * kUnit;
    out.close(run.cls);
  }
  return out;
}

// Counts one part of all streams' pairs, class by class, and lets go of their memory.
GramTable::Part count_part(size_t p, std::vector<Pairs>& pairs, const GramTable& table,
                           Rows& rows) {
  size_t asked = 0;
  for (const Pairs& each : pairs) asked += each.parts[p].size();
  GramTable::Part part(asked);
  Tally tally;
  std::vector<size_t> run(pairs.size());
  for (;;) {
    u32 cls = kNone;
    for (size_t t = 0; t < pairs.size(); ++t)
      if (run[t] < pairs[t].classes.size()) cls = std::min(cls, pairs[t].classes[run[t]]);
    if (cls == kNone) break;
    for (size_t t = 0; t < pairs.size(); ++t) {
      const size_t r = run[t];
      if (r == pairs[t].classes.size() || pairs[t].classes[r] != cls) continue;
      const size_t begin = r ? pairs[t].ends[(r - 1) * kParts + p] : 0;
      pairs[t].parts[p].each(begin, pairs[t].ends[r * kParts + p], [&](u64 key) {
        tally.add(part.intern(key, table.hash(key), part.size), kUnit);
      });
      ++run[t];
    }
    tally.close(cls);
  }
  for (Pairs& each : pairs) each.parts[p] = {};
  rows.build(part.size, [&](auto take) {
    size_t i = 0;
    for (const Tally::Run& r : tally.runs)
      for (; i < r.end; ++i) take(tally.ids[i], r.cls, tally.counts[i]);
  });
  return part;
}

}  // namespace

void count_bigrams(std::vector<WordStream>& streams, const std::vector<std::vector<u32>>& word_maps,
                   bool binary, Vocabulary& vocabulary, Rows& rows, std::vector<u64>& tokens) {
  const unsigned threads = unsigned(streams.size());
  const GramTable seeded(kPartBits);
  std::vector<Pairs> pairs(threads);
  std::vector<std::vector<u64>> sums(threads, std::vector<u64>(tokens.size()));
  on_threads(threads, [&](unsigned t) {
    pairs[t] = binary ? pair_up<true>(streams[t], word_maps[t], seeded, sums[t])
                      : pair_up<false>(streams[t], word_maps[t], seeded, sums[t]);
    streams[t] = {};
  });
  std::vector<GramTable::Part> parts(kParts);
  std::vector<Rows> part_rows(kParts);
  std::atomic<size_t> next{0};
  on_threads(threads, [&](unsigned) {
    for (size_t p; (p = next++) < kParts;) parts[p] = count_part(p, pairs, seeded, part_rows[p]);
  });
  vocabulary.grams = GramTable(std::move(parts), threads);
  rows = Rows(std::move(part_rows), threads);
  for (const std::vector<u64>& sum : sums)
    for (size_t c = 0; c < sum.size(); ++c) tokens[c] += sum[c];
}

}  // namespace nabi
