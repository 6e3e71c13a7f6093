// Sorting words by bytes, and n-grams by a walk over the tree of their prefixes.
#include "vocabulary/feature_order.h"

#include <atomic>
#include <numeric>
#include <utility>

#include "platform/threads.h"
#include "vocabulary/name_order.h"

namespace nabi {
namespace {

struct Entry {
  u64 leading;
  u32 id;
};

constexpr size_t kLarge = limit(4096, 4);  // words that are worth a second thread

std::vector<Entry> sorted(const WordTable& words, unsigned threads) {
  std::vector<Entry> entries(words.size());
  for (u32 id = 0; id < words.size(); ++id) entries[id] = {leading(words.bytes(id)), id};
  const auto before = [&](const Entry& a, const Entry& b) {
    if (a.leading != b.leading) return a.leading < b.leading;
    return compare(words.bytes(a.id), words.bytes(b.id)) < 0;
  };
  const unsigned parts = entries.size() < kLarge ? 1 : threads;
  const auto at = [&](size_t part) {
    return entries.begin() + ptrdiff_t(entries.size() * part / parts);
  };
  on_threads(parts, [&](unsigned t) { std::sort(at(t), at(t + 1), before); });
  for (unsigned t = 1; t < parts; ++t) std::inplace_merge(at(0), at(t), at(t + 1), before);
  return entries;
}

// The n-grams as a tree: the children of a node are the n-grams that are one word longer. A word
// ends with a space, which comes before all that a word is made of; so the order of the names is
// that of a walk which visits a node before its children, and these by their last words.
class GramTree {
 public:
  GramTree(const Vocabulary& vocabulary, const std::vector<Entry>& words) : v_(vocabulary) {
    const RawVector<Gram> grams = v_.grams.pairs();
    std::vector<u32> rank(words.size());
    for (u32 i = 0; i < words.size(); ++i) rank[words[i].id] = i;
    std::vector<u32> all(grams.size());
    std::iota(all.begin(), all.end(), 0);
    std::vector<u32> unused;
    const auto by_last =
        counted_sort(all, words.size(), unused, [&](u32 g) { return rank[grams[g].last]; });
    const size_t nodes = words.size() + grams.size();
    children_ = counted_sort(by_last, nodes, first_, [&](u32 g) { return parent(grams[g]); });
  }

  // The node and all below it, by number.
  void walk(u32 node, u32 length, u32 least, std::vector<u32>& out) const {
    if (length >= least) out.push_back(node);
    for (u32 i = first_[node]; i < first_[node + 1]; ++i)
      walk(v_.words.size() + children_[i], length + 1, least, out);
  }

 private:
  u32 parent(const Gram& gram) const {
    return gram.prefix & kGramBit ? v_.words.size() + (gram.prefix & ~kGramBit) : gram.prefix;
  }
  // The same values by their keys, those of one key in the order they came; first[key] is where
  // they begin.
  template <class Key>
  static std::vector<u32> counted_sort(const std::vector<u32>& values, size_t keys,
                                       std::vector<u32>& first, Key key) {
    first.assign(keys + 2, 0);
    for (const u32 value : values) ++first[key(value) + 2];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<u32> out(values.size());
    for (const u32 value : values) out[first[key(value) + 1]++] = value;
    first.pop_back();
    return out;
  }

  const Vocabulary& v_;
  std::vector<u32> children_, first_;
};

// Words, each followed by the pairs that it begins, by their second words: the order of a walk over
// the tree, where no n-gram is longer. Threads share the pairs, first by where they lie, then by
// their first words.
class PairOrder {
 public:
  PairOrder(const Vocabulary& vocabulary, const std::vector<Entry>& words, unsigned threads)
      : v_(vocabulary),
        words_(words),
        threads_(vocabulary.grams.size() < kLarge ? 1 : threads),
        rank_(words.size()),
        first_(words.size() + 1) {
    for (u32 i = 0; i < words.size(); ++i) rank_[words[i].id] = i;
  }

  // Puts the pairs of each first word together; false: some n-gram is longer. The recipe of a
  // hostile file may not tell.
  bool place() {
    std::vector<std::vector<u32>> at(threads_);  // of each thread: where its next pair goes
    std::atomic<bool> are_pairs{true};
    on_threads(threads_, [&](unsigned t) {
      at[t].resize(words_.size());
      v_.grams.each(t, threads_, [&](Gram gram, u32) {
        if (gram.prefix & kGramBit)
          are_pairs = false;
        else
          ++at[t][rank_[gram.prefix]];
      });
    });
    if (!are_pairs) return false;
    u32 sum = 0;
    for (size_t rank = 0; rank < words_.size(); ++rank) {
      first_[rank] = sum;
      for (std::vector<u32>& own : at) sum += std::exchange(own[rank], sum);
    }
    first_.back() = sum;
    children_.resize(sum);
    on_threads(threads_, [&](unsigned t) {
      v_.grams.each(t, threads_, [&](Gram gram, u32 id) {
        children_[at[t][rank_[gram.prefix]]++] = u64{rank_[gram.last]} << 32 | id;
      });
    });
    return true;
  }

  // Appends the features of at least so many words.
  void append(u32 least, std::vector<u32>& out) {
    const size_t begin = out.size(), n = words_.size(), own = least <= 1;
    out.resize(begin + own * n + children_.size());
    on_threads(threads_, [&](unsigned t) {
      const size_t end = share(t + 1);
      for (size_t rank = share(t); rank < end; ++rank) {
        u32* to = out.data() + begin + own * rank + first_[rank];
        if (own) *to++ = words_[rank].id;
        const auto child = children_.begin();
        std::sort(child + first_[rank], child + first_[rank + 1]);
        for (u32 i = first_[rank]; i < first_[rank + 1]; ++i) *to++ = u32(n) + u32(children_[i]);
      }
    });
  }

 private:
  // The first word of a thread's share, by rank: all have about as many pairs.
  size_t share(unsigned t) const {
    if (t == threads_) return words_.size();
    const u32 pairs = u32(u64{first_.back()} * t / threads_);
    return size_t(std::lower_bound(first_.begin(), first_.end() - 1, pairs) - first_.begin());
  }

  const Vocabulary& v_;
  const std::vector<Entry>& words_;
  const unsigned threads_;
  std::vector<u32> rank_, first_;  // of each word, and where its pairs begin, by rank
  RawVector<u64> children_;        // the rank of the second word, and the pair's id
};

// Whether every byte of the words comes after the space that joins words.
bool are_plain(const WordTable& words) {
  for (u32 id = 0; id < words.size(); ++id)
    for (const u8 byte : words.bytes(id))
      if (byte <= ' ') return false;
  return true;
}

// How many words each word and word n-gram has; any number for character n-grams.
std::vector<u32> lengths_of(const Vocabulary& vocabulary) {
  const u32 words = vocabulary.words.size();
  std::vector<u32> lengths(words, 1);
  for (const Gram& gram : vocabulary.grams.pairs())
    lengths.push_back(gram.prefix & kGramBit ? lengths[words + (gram.prefix & ~kGramBit)] + 1 : 2);
  lengths.resize(vocabulary.size(), kNone);
  return lengths;
}

// Whatever bytes the names have.
std::vector<u32> by_name(const Vocabulary& vocabulary, u32 least) {
  const Vocabulary::Names names = vocabulary.names();
  const auto name = [&](u32 f) {
    return std::span(names.bytes)
        .subspan(names.offsets[f], names.offsets[f + 1] - names.offsets[f]);
  };
  std::vector<Entry> entries(vocabulary.size());
  for (u32 f = 0; f < entries.size(); ++f) entries[f] = {leading(name(f)), f};
  std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
    if (a.leading != b.leading) return a.leading < b.leading;
    return compare(name(a.id), name(b.id)) < 0;
  });
  const std::vector<u32> lengths = lengths_of(vocabulary);
  std::vector<u32> out;
  for (const Entry& entry : entries)
    if (lengths[entry.id] >= least) out.push_back(entry.id);
  return out;
}

std::vector<u32> by_bucket(const BucketTable& buckets) {
  std::vector<u32> out(buckets.size());
  std::iota(out.begin(), out.end(), 0);
  std::sort(out.begin(), out.end(),
            [&](u32 a, u32 b) { return buckets.bucket(a) < buckets.bucket(b); });
  return out;
}

}  // namespace

std::vector<u32> in_order(const Vocabulary& vocabulary, u32 least, unsigned threads) {
  if (vocabulary.hashed()) return by_bucket(vocabulary.buckets);
  const bool joins = vocabulary.recipe.word_hi > 1 || vocabulary.chars.size();
  if (vocabulary.words.size() && joins && !are_plain(vocabulary.words))
    return by_name(vocabulary, least);
  std::vector<u32> out;
  out.reserve(vocabulary.size());
  // Beside words, the names of character n-grams begin with a tab: they come first.
  const u32 before = vocabulary.words.size() + vocabulary.grams.size();
  for (const Entry& entry : sorted(vocabulary.chars, threads)) out.push_back(before + entry.id);
  const auto words = sorted(vocabulary.words, threads);
  if (vocabulary.recipe.word_hi <= 1) {
    for (const Entry& entry : words) out.push_back(entry.id);
    return out;
  }
  if (vocabulary.recipe.word_hi == 2 && least <= 2) {
    PairOrder pairs(vocabulary, words, threads);
    if (pairs.place()) {
      pairs.append(least, out);
      return out;
    }
  }
  const GramTree tree(vocabulary, words);
  for (const Entry& entry : words) tree.walk(entry.id, 1, least, out);
  return out;
}

}  // namespace nabi
