// Workers: threads that count batches of texts, piece by piece. Each keeps its vocabulary and its
// counts from batch to batch; they are merged once, at the end.
#pragma once

#include <atomic>
#include <memory>

#include "count/bags.h"
#include "count/count_table.h"
#include "count/pairs.h"
#include "count/shared_words.h"
#include "vocabulary/fingerprints.h"

namespace nabi {

// A batch of texts: text i in class classes[i] with weight units[i] (empty: weight 1). Workers take
// its pieces, class by class.
struct Task {
  Task(const Texts& texts, std::span<const u32> classes, u32 n_classes, std::span<const u64> units,
       Fingerprint kind);
  // Takes fingerprints that are known already.
  void take_fingerprints(const std::vector<u64>& known) {
    fingerprints = known;
    has_fingerprints = true;
  }

  const Texts& texts;
  const std::span<const u32> classes;
  const u32 n_classes;
  const std::span<const u64> units;
  const Fingerprint kind;
  u64 bytes = 0;           // of all texts
  std::vector<u32> order;  // documents, class by class
  Pieces pieces;
  std::vector<u64> fingerprints;  // of each document's text
  bool has_fingerprints = false;  // otherwise they are computed
  std::vector<BagPiece> bags;     // of each piece, where they are kept
  std::atomic<size_t> next{0};    // the piece to be taken
  unsigned users = 0;             // threads of a stream that take pieces of it, under its lock
};

// What one worker has counted.
struct Partial {
  explicit Partial(const Recipe& recipe) : vocabulary(recipe) {}
  Vocabulary vocabulary;
  std::array<Tally, kSpaces> tallies;
  FeatureMap map;           // to the ids of the result; empty where they are the same
  std::vector<u64> tokens;  // by class
  u64 missing = 0, repaired = 0;
};

// Words and character n-grams of all workers.
struct Sharing {
  SharedWords words, chars;
  void number(const Vocabulary& own, FeatureMap& map) {
    words.number(own.words, map[kWords]);
    chars.number(own.chars, map[kChars]);
  }
};

// How one thread counts. Its partial is whole after finish().
class Worker {
 public:
  virtual ~Worker() = default;
  virtual void count(Task& task) = 0;  // takes pieces until none is left
  virtual void finish() = 0;
  virtual Partial& partial() = 0;
};

struct Counted {
  CountTable table;
  std::vector<u64> fingerprints;  // of each document's text
  u64 missing, repaired;          // texts
};

class Workers {
 public:
  enum class Pairs { kAtOnce, kLater };  // when pairs of words are counted; later suits large data
  // `merges`: vocabularies are merged in the end, which suits small data, unless pairs come later.
  Workers(const Recipe& recipe, unsigned threads, Pairs pairs, bool merges,
          bool keeps_bags = false);

  // Adds the documents of a task, which must not pass what counts can hold, before it is counted.
  void admit(const Task& task);
  unsigned size() const { return unsigned(workers_.size()); }
  void count(unsigned t, Task& task) { workers_[t]->count(task); }
  // Merges what was counted. With `bags`, takes those of the task, which must be the only one.
  Counted finish(Task* task = nullptr, Bags* bags = nullptr);

 private:
  std::unique_ptr<Worker> worker(unsigned t, bool keeps_bags);
  void merge(std::vector<Partial*>& partials, Vocabulary& vocabulary);

  const Recipe recipe_;
  std::unique_ptr<Sharing> sharing_;    // null: each worker has ids of its own
  std::unique_ptr<PairCounter> pairs_;  // null: pairs are counted at once
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<u64> docs_;       // by class
  unsigned __int128 most_ = 0;  // upper bound of all counts
};

// Whether pairs are better counted later, for so many bytes of text.
Workers::Pairs when_pairs(const Recipe& recipe, u64 bytes, bool weighted);

}  // namespace nabi
