// Looking up every feature of one vocabulary in another.
#include "vocabulary/feature_map.h"

#include <algorithm>

#include "platform/threads.h"

namespace nabi {
namespace {

constexpr size_t kAhead = 16;  // keys whose slots are fetched before the first is looked up
constexpr u32 kLarge = limit(4096, 4);  // words that are worth a second thread

template <bool kInsert, class To>
void map_words(const WordTable& from, u32 begin, u32 end, To& to, std::vector<u32>& own) {
  WordKey keys[kAhead];
  for (; begin < end; begin += kAhead) {
    const u32 n = std::min<u32>(kAhead, end - begin);
    for (u32 i = 0; i < n; ++i) {
      keys[i] = to.key_of(from, begin + i);
      to.prefetch(keys[i]);
    }
    for (u32 i = 0; i < n; ++i) {
      if constexpr (kInsert)
        own[begin + i] = to.intern(keys[i]);
      else
        own[begin + i] = to.find(keys[i]);
    }
  }
}

// All threads look words up, then one adds those that are new.
void merge_words(const WordTable& from, WordTable& to, std::vector<u32>& own, unsigned threads) {
  const u32 n = from.size();
  own.resize(n);
  if (threads < 2 || n < kLarge) return map_words<true>(from, 0, n, to, own);
  const WordTable& known = to;
  on_threads(threads, [&](unsigned t) {
    map_words<false>(from, u32(u64{n} * t / threads), u32(u64{n} * (t + 1) / threads), known, own);
  });
  for (u32 id = 0; id < n; ++id)
    if (own[id] == kNone) own[id] = to.insert(to.key_of(from, id));
}

template <bool kInsert, class To>
std::vector<u32> map_grams(const RawVector<Gram>& from, const std::vector<u32>& words, To& to) {
  std::vector<u32> own(from.size());
  u64 keys[kAhead], hashes[kAhead];
  for (size_t begin = 0; begin < from.size(); begin += kAhead) {
    const size_t n = std::min(kAhead, from.size() - begin);
    // A prefix may stand in this very batch: its own id is known only after it is looked up.
    const auto key = [&](const Gram& gram) -> u64 {
      const bool longer = gram.prefix & kGramBit;
      const u32 prefix = longer ? own[gram.prefix & ~kGramBit] : words[gram.prefix];
      const u32 last = words[gram.last];
      if (prefix == kNone || last == kNone) return 0;
      return GramTable::key(longer ? prefix | kGramBit : prefix, last);
    };
    for (size_t i = 0; i < n; ++i) {
      const Gram& gram = from[begin + i];
      const bool waits = gram.prefix & kGramBit && (gram.prefix & ~kGramBit) >= begin;
      keys[i] = waits ? 0 : key(gram);
      hashes[i] = to.hash(keys[i]);
      to.prefetch(hashes[i]);
    }
    for (size_t i = 0; i < n; ++i) {
      const Gram& gram = from[begin + i];
      if (gram.prefix & kGramBit && (gram.prefix & ~kGramBit) >= begin) {
        keys[i] = key(gram);
        hashes[i] = to.hash(keys[i]);
      }
      if (!keys[i])
        own[begin + i] = kNone;
      else if constexpr (kInsert)
        own[begin + i] = to.intern(keys[i], hashes[i]);
      else
        own[begin + i] = to.find(keys[i], hashes[i]);
    }
  }
  return own;
}

template <bool kInsert, class To>
std::vector<u32> map_buckets(const BucketTable& from, To& to) {
  std::vector<u32> own(from.size());
  for (u32 i = 0; i < from.size(); ++i) {
    if (i + kAhead < from.size()) to.prefetch(from.bucket(i + kAhead));
    if constexpr (kInsert)
      own[i] = to.intern(from.bucket(i));
    else
      own[i] = to.find(from.bucket(i));
  }
  return own;
}

}  // namespace

void add_words(const WordTable& from, u32 begin, WordTable& to, std::vector<u32>& ids) {
  ids.resize(from.size());
  map_words<true>(from, begin, from.size(), to, ids);
}

FeatureMap merge_vocabulary(const Vocabulary& from, Vocabulary& to, unsigned threads) {
  FeatureMap maps;
  if (from.hashed()) {
    maps[kWords] = map_buckets<true>(from.buckets, to.buckets);
    return maps;
  }
  merge_words(from.words, to.words, maps[kWords], threads);
  maps[kGrams] = map_grams<true>(from.grams.pairs(), maps[kWords], to.grams);
  merge_words(from.chars, to.chars, maps[kChars], threads);
  return maps;
}

void through(FeatureMap& map, const FeatureMap& next) {
  for (size_t s = 0; s < kSpaces; ++s)
    for (u32& id : map[s]) id = next[s][id];
}

FeatureMap find_vocabulary(const Vocabulary& from, const Vocabulary& to) {
  FeatureMap maps;
  if (from.hashed()) {
    maps[kWords] = map_buckets<false>(from.buckets, to.buckets);
    return maps;
  }
  maps[kWords].resize(from.words.size());
  map_words<false>(from.words, 0, from.words.size(), to.words, maps[kWords]);
  maps[kGrams] = map_grams<false>(from.grams.pairs(), maps[kWords], to.grams);
  maps[kChars].resize(from.chars.size());
  map_words<false>(from.chars, 0, from.chars.size(), to.chars, maps[kChars]);
  return maps;
}

}  // namespace nabi
