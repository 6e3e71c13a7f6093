// Scores by the model that never saw the document: the counts of all documents less those of the
// document's group, for each of several smoothings at once. Nothing is counted again; what a group
// changes are the counts of its own features, the sums of its classes, and the vocabulary, which
// loses what only the group had.
#pragma once

#include <map>
#include <memory>
#include <span>

#include "count_table.h"

namespace nabi {

enum class Event : u8 { kMultinomial, kBernoulli, kComplement };

// How to weigh the counts that are left.
struct Weighing {
  Event event;
  u64 least;                   // a feature with fewer units in all is left out; at least 1
  std::vector<double> alphas;  // above 0
};

// Documents that were all counted into the table, or have no units.
struct Learned {
  const Texts& texts;
  std::span<const u32> classes;  // below the table's
  std::span<const u64> units;    // empty: 1 each
  std::span<const u32> groups;   // the documents of a group are scored without each other
};

class HeldOut {
 public:
  // The table must outlive it. Throws std::invalid_argument where a smoothing is not above 0.
  HeldOut(const CountTable& table, Weighing weighing);

  size_t classes() const { return table_.docs.size(); }
  size_t alphas() const { return weighing_.alphas.size(); }
  // log P(d|c) for each document, smoothing and class: out[(d * alphas() + a) * classes() + c].
  // Throws std::invalid_argument where documents do not fit the table.
  void score(const Learned& documents, unsigned threads, double* out) const;

 private:
  friend class HeldOutGroup;

  const CountTable& table_;
  Weighing weighing_;
  Cells cells_;
  std::vector<u64> totals_;  // of each feature
  std::vector<u8> known_;    // of each feature
  std::vector<u64> tokens_;  // of each class, of the features that are known
  u64 features_ = 0;         // that are known
  size_t base_[kSpaces], size_[kSpaces];
  // Bernoulli: for each class its known counts ascending, and how many features have each.
  std::vector<std::map<u64, u64>> histograms_;
};

}  // namespace nabi
