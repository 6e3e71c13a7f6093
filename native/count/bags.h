// Bags of features: for each document, its feature ids and how often each comes. Held-out scores
// and linear models read documents from bags, and need not tokenise them again.
#pragma once

#include <memory>

#include "unicode/texts.h"
#include "vocabulary/feature_map.h"

namespace nabi {

struct Times {
  u32 feature;
  u32 n;  // how often it comes in its document
};

// Collects the features of one document after another.
class BagSink {
 public:
  static constexpr bool kTraces = false, kStreams = false;
  explicit BagSink(bool binary) : binary_(binary) {}

  template <Space kSpace>
  NABI_HOT void add(u32 id) {
    Seen& seen = spaces_[kSpace];
    if (id >= seen.now.size()) [[unlikely]]
      seen.now.resize(std::max<size_t>(size_t{id} + 1, seen.now.size() * 2));
    if (seen.n == seen.ids.size()) [[unlikely]]
      seen.ids.resize(std::max<size_t>(64, seen.n * 2));
    // No branch, since it would be mispredicted: the id is always written, and kept if it is new.
    seen.ids[seen.n] = id;
    seen.n += seen.now[id]++ == 0;
  }
  template <Space kSpace>
  void prefetch(u32 id) {
    nabi::prefetch(spaces_[kSpace].now.data(), id);
  }
  // Ends the document: calls take(id, n) for each of its features in a space, in the order of first
  // occurrence, which does not depend on earlier documents.
  template <class Take>
  void close(Space space, Take take) {
    Seen& seen = spaces_[space];
    for (size_t i = 0; i < seen.n; ++i) {
      const u32 id = seen.ids[i];
      take(id, binary_ ? 1 : seen.now[id]);
      seen.now[id] = 0;
    }
    seen.n = 0;
  }

 private:
  struct Seen {
    std::vector<u32> now, ids;
    size_t n = 0;  // different ids
  };
  Seen spaces_[kSpaces];
  bool binary_;
};

// Bags end to end, as one thread read them.
struct BagPiece {
  std::vector<Times> times;  // the features by their ids in the thread's spaces
  std::vector<std::array<size_t, kSpaces>> ends;  // of each document, space by space
  unsigned thread = 0;

  // Room for about as many as another piece has.
  void reserve(const BagPiece& other) { times.reserve(other.times.size() * 5 / 4); }
  // Ends the document: appends its bag, and calls also(space, id, n) for each of its features.
  template <class Also>
  void close(BagSink& sink, Also also) {
    std::array<size_t, kSpaces>& end = ends.emplace_back();
    for (int s = 0; s < kSpaces; ++s) {
      sink.close(Space(s), [&](u32 id, u32 n) {
        times.push_back({id, n});
        also(Space(s), id, n);
      });
      end[s] = times.size();
    }
  }
};

class Bags {
 public:
  Bags() = default;
  // The pieces hold the documents in this order. A feature's id becomes that of the vocabulary, by
  // the map of its thread and space (an empty one: it is that already), and the spaces follow one
  // another.
  Bags(const Vocabulary& vocabulary, std::span<const u32> order, std::vector<BagPiece>&& pieces,
       const std::vector<FeatureMap>& maps, unsigned threads);

  size_t size() const { return bags_.size(); }
  std::span<const Times> operator[](size_t document) const { return bags_[document]; }
  const std::array<u32, kSpaces>& spaces() const { return spaces_; }  // how many ids each has
  // The bags at some indices; shares the memory.
  Bags taken(std::span<const u64> indices) const;

 private:
  std::shared_ptr<const std::vector<std::vector<Times>>> pieces_;
  std::vector<std::span<const Times>> bags_;
  std::array<u32, kSpaces> spaces_{};
};

// The bags of texts; features that the vocabulary does not have are left out.
Bags read_bags(const Texts& texts, const Vocabulary& vocabulary, unsigned threads);

}  // namespace nabi
