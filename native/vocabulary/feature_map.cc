// Looking up every feature of one vocabulary in another.
#include "vocabulary/feature_map.h"

#include <algorithm>

namespace nabi {
namespace {

constexpr size_t kAhead = 16;  // keys whose slots are fetched before the first is looked up

template <bool kInsert, class To>
void map_words(const WordTable& from, u32 begin, To& to, std::vector<u32>& own) {
  own.resize(from.size());
  WordKey keys[kAhead];
  for (; begin < from.size(); begin += kAhead) {
    const u32 n = std::min<u32>(kAhead, from.size() - begin);
    for (u32 i = 0; i < n; ++i) {
      keys[i] = to.safe_key(from.bytes(begin + i));
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

template <bool kInsert, class To>
std::vector<u32> map_grams(const HugeVector<Gram>& from, const std::vector<u32>& words, To& to) {
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

template <bool kInsert, class To>
FeatureMap map_features(const Vocabulary& from, To& to) {
  FeatureMap maps;
  if (from.hashed()) {
    maps[kWords] = map_buckets<kInsert>(from.buckets, to.buckets);
    return maps;
  }
  map_words<kInsert>(from.words, 0, to.words, maps[kWords]);
  maps[kGrams] = map_grams<kInsert>(from.grams.pairs(), maps[kWords], to.grams);
  map_words<kInsert>(from.chars, 0, to.chars, maps[kChars]);
  return maps;
}

}  // namespace

void add_words(const WordTable& from, u32 begin, WordTable& to, std::vector<u32>& ids) {
  map_words<true>(from, begin, to, ids);
}

FeatureMap merge_vocabulary(const Vocabulary& from, Vocabulary& to) {
  return map_features<true>(from, to);
}

void through(FeatureMap& map, const FeatureMap& next) {
  for (size_t s = 0; s < kSpaces; ++s)
    for (u32& id : map[s]) id = next[s][id];
}

FeatureMap find_vocabulary(const Vocabulary& from, const Vocabulary& to) {
  return map_features<false>(from, to);
}

}  // namespace nabi
