// Held-out scores, group by group on several threads.
#include "held_out/held_out.h"

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "held_out/smoothing_choice.h"
#include "platform/threads.h"

namespace nabi {
namespace {

// Documents group by group, in pieces of several small groups for threads to take one by one.
struct Groups {
  static constexpr size_t kPiece = 64;  // documents
  std::vector<u32> order;
  std::vector<size_t> ends;       // of the groups, in order
  std::vector<size_t> pieces{0};  // where they end, in ends

  explicit Groups(std::span<const u32> groups) : order(groups.size()) {
    const size_t n = groups.size();
    std::iota(order.begin(), order.end(), 0);
    if (!std::is_sorted(groups.begin(), groups.end()))
      std::stable_sort(order.begin(), order.end(),
                       [&](u32 a, u32 b) { return groups[a] < groups[b]; });
    for (size_t i = 1, begin = 0; i <= n; ++i)
      if (i == n || groups[order[i]] != groups[order[i - 1]]) {
        ends.push_back(i);
        if (i - begin < kPiece && i < n) continue;
        pieces.push_back(ends.size());
        begin = i;
      }
  }
  std::span<const u32> group(size_t g) const {
    const size_t begin = g ? ends[g - 1] : 0;
    return std::span(order).subspan(begin, ends[g] - begin);
  }
};

// Calls take(classes, counts) for each feature, in the order of space and id.
template <class Take>
void each_row(const CountTable& table, Take take) {
  for (int s = 0; s < kSpaces; ++s)
    for (u32 id = 0; id < table.vocabulary.size(Space(s)); ++id)
      if (table.rows[s].empty(id))
        take({}, {});
      else
        take(table.rows[s].classes(id), table.rows[s].counts(id));
}

// Whether small entries hold all counts.
bool is_small(const CountTable& table) {
  u64 all = 0;
  for (const u64 tokens : table.tokens) all += tokens;
  u64 bits = 0;
  each_row(table, [&](std::span<const u32>, std::span<const u64> counts) {
    for (const u64 count : counts) bits |= count;
  });
  return bits % kUnit == 0 && SmallEntry(all, 0).units() == all;
}

std::vector<WideEntry> widened(const std::vector<SmallEntry>& entries) {
  std::vector<WideEntry> out;
  out.reserve(entries.size());
  for (const SmallEntry& entry : entries) out.emplace_back(entry.units(), entry.cls);
  return out;
}

}  // namespace

HeldOut::HeldOut(const CountTable& table, Weighing weighing, std::vector<u32> order)
    : weighing_(std::move(weighing)),
      order_(std::move(order)),
      docs_(table.docs),
      tokens_(table.docs.size()) {
  for (const double alpha : weighing_.alphas)
    if (!(alpha > 0) || !std::isfinite(alpha))
      throw std::invalid_argument("a smoothing that is not above 0");
  columns_.resize(docs_.size(), kNone);
  for (size_t j = 0; j < order_.size(); ++j) {
    if (order_[j] >= docs_.size())
      throw std::invalid_argument("a class that the table does not have");
    columns_[order_[j]] = u32(j);
  }
  weighing_.least = std::max<u64>(1, weighing_.least);
  histograms_.resize(weighing_.event == Event::kBernoulli ? docs_.size() : 0);
  for (int s = 0; s < kSpaces; ++s) spaces_[s] = table.vocabulary.size(Space(s));
  is_small(table) ? add_rows(table, small_) : add_rows(table, wide_);
}

template <class Entry>
void HeldOut::add_rows(const CountTable& table, std::vector<Entry>& entries) {
  offsets_.reserve(table.vocabulary.size());
  each_row(table, [&](std::span<const u32> classes, std::span<const u64> counts) {
    const u64 total = std::accumulate(counts.begin(), counts.end(), u64{0});
    const bool is_known = total >= weighing_.least;
    known_ += is_known;
    offsets_.push_back(entries.size());
    entries.emplace_back(total, u32(classes.size()));
    for (size_t i = 0; i < classes.size(); ++i) {
      entries.emplace_back(counts[i], classes[i]);
      if (!is_known) continue;
      tokens_[classes[i]] += counts[i];
      if (!histograms_.empty()) ++histograms_[classes[i]][counts[i]];
    }
  });
}

void HeldOut::check(const Learned& learned, const Prior& prior) const {
  const size_t n = learned.bags.size();
  bool fits = learned.classes.size() == n && learned.groups.size() == n && n < kNone &&
              (learned.units.empty() || learned.units.size() == n) &&
              learned.bags.spaces() == spaces_ &&
              (prior.shares.empty() || prior.shares.size() == classes());
  for (const u32 c : learned.classes) fits = fits && c < columns_.size() && columns_[c] != kNone;
  if (!fits)
    throw std::invalid_argument(
        "documents that do not fit the table; expected those that the model learned");
}

template <template <class> class Group, class Take>
void HeldOut::each(const Learned& learned, const Prior& prior, unsigned threads, Take take) const {
  const bool is_whole = std::all_of(learned.units.begin(), learned.units.end(),
                                    [](u64 units) { return units % kUnit == 0; });
  if (small_.empty())
    each_of<Group>(wide_, learned, prior, threads, take);
  else if (is_whole)
    each_of<Group>(small_, learned, prior, threads, take);
  else
    each_of<Group>(widened(small_), learned, prior, threads, take);
}

template <template <class> class Group, class Entry, class Take>
void HeldOut::each_of(const std::vector<Entry>& entries, const Learned& learned, const Prior& prior,
                      unsigned threads, Take take) const {
  const Groups groups(learned.groups);
  threads = unsigned(std::max<size_t>(1, std::min(size_t{threads}, groups.pieces.size() - 1)));
  using Own = std::unique_ptr<Group<Entry>>;
  on_pieces(
      groups.pieces.size() - 1, threads,
      [&](unsigned) { return std::make_unique<Group<Entry>>(*this, entries, learned, prior); },
      [&](Own& group, size_t piece, unsigned t) {
        for (size_t g = groups.pieces[piece]; g < groups.pieces[piece + 1]; ++g)
          group->score(groups.group(g), [&](auto... scored) { take(t, scored...); });
      });
}

void HeldOut::score(const Learned& learned, const Prior& prior, unsigned threads, double* out,
                    double* lengths) const {
  check(learned, prior);
  const size_t width = alphas() * classes();
  const auto take = [&](unsigned, u32 document, const double* scores, u64 n) {
    std::copy_n(scores, width, out + document * width);
    lengths[document] = double(n);
  };
  each<AllSmoothings>(learned, prior, threads, take);
}

void HeldOut::score_chosen(const Learned& learned, const Prior& prior, unsigned threads,
                           double* out, double* lengths, u32* chosen) const {
  check(learned, prior);
  if (weighing_.alphas.empty()) throw std::invalid_argument("no smoothing to choose from");
  const auto take = [&](unsigned, u32 document, const double* scores, u64 n, u32 alpha) {
    std::copy_n(scores, classes(), out + document * classes());
    lengths[document] = double(n);
    chosen[document] = alpha;
  };
  each<BestSmoothing>(learned, prior, threads, take);
}

Losses HeldOut::losses(const Learned& learned, const Prior& prior, unsigned threads) const {
  check(learned, prior);
  std::vector<LossSums> sums(std::max(1u, threads), LossSums(alphas()));
  each<AllSmoothings>(
      learned, prior, threads, [&](unsigned t, u32 document, const double* scores, u64) {
        for (size_t a = 0; a < alphas(); ++a)
          sums[t].add(a, scores + a * classes(), classes(), columns_[learned.classes[document]]);
      });
  for (size_t t = 1; t < sums.size(); ++t) sums[0].add(sums[t]);
  return sums[0].of(learned.bags.size());
}

}  // namespace nabi
