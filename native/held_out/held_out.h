// Held-out scores: each document is scored by the model of all documents outside its group.
// Leave-one-out: a group is one document; k-fold: a group is a fold. The counts of the group are
// subtracted, nothing is counted again. That changes the counts of the group's features, the sums
// of its classes, and the vocabulary, which loses the features that only the group had. Several
// smoothings are scored at once.
#pragma once

#include <map>
#include <span>

#include "count/bags.h"
#include "count/count_table.h"
#include "held_out/loss_sums.h"

namespace nabi {

enum class Event : u8 { kMultinomial, kBernoulli, kComplement };

// How to weigh the remaining counts.
struct Weighing {
  Event event;
  u64 least;                   // a feature with fewer units in all is left out; at least 1
  std::vector<double> alphas;  // above 0
};

// P(c) of the classes that have documents left, in the order of the scores; 0 for others.
struct Prior {
  std::vector<double> shares;  // empty: the shares of the remaining documents
  bool sums_to_one;            // whether they are divided by their sum
};

// Documents that were all counted into the table, or have no units.
struct Learned {
  const Bags& bags;
  std::span<const u32> classes;  // the table's
  std::span<const u64> units;    // empty: 1 each
  std::span<const u32> groups;   // the documents of a group are scored without each other
};

// A feature's row is an entry with its total and the number of its classes, then one for each
// class: side by side and small, since most of the time goes into fetching them.
template <class Count, int kShift>
struct RowEntry {
  Count n;
  u32 cls;

  RowEntry(u64 units, u32 c) : n(Count(units >> kShift)), cls(c) {}
  u64 units() const { return u64{n} << kShift; }
  void subtract(u64 units) { n -= Count(units >> kShift); }
};
using WideEntry = RowEntry<u64, 0>;
using SmallEntry = RowEntry<u32, 24>;  // of whole counts
static_assert(kUnit == u64{1} << 24);

class HeldOut {
 public:
  // Scores are of the classes in this order. Throws std::invalid_argument where a smoothing is not
  // above 0, or the order has no such class.
  HeldOut(const CountTable& table, Weighing weighing, std::vector<u32> order);

  size_t classes() const { return order_.size(); }
  size_t alphas() const { return weighing_.alphas.size(); }
  std::span<const double> smoothings() const { return weighing_.alphas; }
  // Writes log P(d|c) P(c) for each document, smoothing and class to
  // out[(d * alphas() + a) * classes() + c], and n(d), the number of its known features. Throws
  // std::invalid_argument where documents do not fit the table, or a group leaves nothing.
  void score(const Learned& documents, const Prior& prior, unsigned threads, double* out,
             double* lengths) const;
  // Scores with one smoothing for each group: the one with the least leave-one-out log loss on the
  // remaining counts; the first among ties. Writes out[d * classes() + c], and the index of the
  // smoothing for each document.
  void score_chosen(const Learned& documents, const Prior& prior, unsigned threads, double* out,
                    double* lengths, u32* chosen) const;
  // Log losses of the scores of score(); equal to the last bit for documents in any order.
  Losses losses(const Learned& documents, const Prior& prior, unsigned threads) const;

 private:
  template <class Entry>
  friend class GroupScorer;
  template <class Entry>
  friend class RemainingCounts;
  template <class Entry>
  friend class LeaveOneOutLoss;

  template <class Entry>
  void add_rows(const CountTable& table, std::vector<Entry>& entries);
  void check(const Learned& documents, const Prior& prior) const;
  // Calls take(thread, document, scores, n(d)) for each document, as Group<Entry> scores it.
  template <template <class> class Group, class Take>
  void each(const Learned& documents, const Prior& prior, unsigned threads, Take take) const;
  template <template <class> class Group, class Entry, class Take>
  void each_of(const std::vector<Entry>& entries, const Learned& documents, const Prior& prior,
               unsigned threads, Take take) const;

  Weighing weighing_;
  std::vector<u32> order_, columns_;  // the class of each column of scores, and back
  std::array<u32, kSpaces> spaces_;
  std::vector<u64> docs_;        // of each class
  std::vector<u64> tokens_;      // of each class, of the features that are known
  std::vector<size_t> offsets_;  // of each feature's row
  std::vector<WideEntry> wide_;
  std::vector<SmallEntry> small_;  // instead, where they hold all counts
  u64 known_ = 0;                  // features
  // Bernoulli: for each class its known counts ascending, and how many features have each.
  std::vector<std::map<u64, u64>> histograms_;
};

}  // namespace nabi
