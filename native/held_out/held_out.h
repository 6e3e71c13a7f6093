// Scores by the model that never saw the document: the counts of all documents less those of the
// document's group, for each of several smoothings at once. Nothing is counted again; what a group
// changes are the counts of its own features, the sums of its classes, and the vocabulary, which
// loses what only the group had.
#pragma once

#include <map>
#include <span>

#include "count/bags.h"
#include "count/count_table.h"
#include "held_out/loss_sums.h"

namespace nabi {

enum class Event : u8 { kMultinomial, kBernoulli, kComplement };

// How to weigh the counts that are left.
struct Weighing {
  Event event;
  u64 least;                   // a feature with fewer units in all is left out; at least 1
  std::vector<double> alphas;  // above 0
};

// P(c) of the classes that are left, in the order of the scores; that of others is 0.
struct Prior {
  std::vector<double> shares;  // empty: the shares of the documents that are left
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
  // log P(d|c) P(c) for each document, smoothing and class, and n(d), the number of its known
  // features: out[(d * alphas() + a) * classes() +
  // c]. Throws std::invalid_argument where documents do not fit the table, or a group leaves
  // nothing.
  void score(const Learned& documents, const Prior& prior, unsigned threads, double* out,
             double* lengths) const;
  // The same with one smoothing for each group: the one with which the counts that are left are
  // least surprised by each of their own, left out in its turn; of equal ones the first. Writes
  // out[d * classes() + c], and the place of the smoothing for each document.
  void score_chosen(const Learned& documents, const Prior& prior, unsigned threads, double* out,
                    double* lengths, u32* chosen) const;
  // The log losses of the same scores as score() gives; the same, to the last bit, for documents in
  // any order.
  Losses losses(const Learned& documents, const Prior& prior, unsigned threads) const;

 private:
  template <class Entry>
  friend class HeldOutGroup;
  template <class Entry>
  friend class LeftCounts;
  template <class Entry>
  friend class LeftSurprise;

  template <class Entry>
  void add_rows(const CountTable& table, std::vector<Entry>& entries);
  void check(const Learned& documents, const Prior& prior) const;
  // take(thread, document, scores, n(d)) for each document, as Group<Entry> gives them.
  template <template <class> class Group, class Take>
  void each(const Learned& documents, const Prior& prior, unsigned threads, Take take) const;
  template <template <class> class Group, class Entry, class Take>
  void each_of(const std::vector<Entry>& entries, const Learned& documents, const Prior& prior,
               unsigned threads, Take take) const;

  Weighing weighing_;
  std::vector<u32> order_, places_;  // the class at each place, and the place of each class
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
