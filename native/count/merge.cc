// Merging by a tournament of the files' next names.
#include "count/merge.h"

#include <algorithm>

#include "unicode/utf8.h"
#include "vocabulary/name_order.h"
#include "vocabulary/vocabulary.h"

namespace nabi {

// Where a file is read: its next name, unless all of the range are read.
struct SortedMerge::Cursor {
  size_t file = 0;
  u64 row = 0, end = 0;
  std::span<const u8> name;
  u64 lead = 0;  // the first bytes of the name, which decide most comparisons

  bool done() const { return row == end; }
};

// The sums of one feature by class, and what was seen of the files.
struct SortedMerge::Sums {
  std::vector<u64> counts;   // by class
  std::vector<u32> classes;  // those that have one, each once
  std::vector<u64> tokens;
  std::vector<SeenNumbers> seen;
};

// A tree of losers: the winner is the cursor with the least name.
class SortedMerge::Tournament {
 public:
  explicit Tournament(std::vector<Cursor>& cursors)
      : cursors_(cursors), losers_(cursors.size()), winner_(0) {
    const size_t n = cursors.size();
    std::vector<u32> winners(2 * n);
    for (size_t i = 0; i < n; ++i) winners[n + i] = u32(i);
    for (size_t node = n - 1; node > 0; --node) {
      u32 a = winners[2 * node], b = winners[2 * node + 1];
      if (before(b, a)) std::swap(a, b);
      winners[node] = a;
      losers_[node] = b;
    }
    winner_ = n > 1 ? winners[1] : 0;
  }

  Cursor& winner() { return cursors_[winner_]; }
  // After the winner has gone on to its next name.
  void replay() {
    u32 best = winner_;
    for (size_t node = (winner_ + cursors_.size()) / 2; node > 0; node /= 2)
      if (before(losers_[node], best)) std::swap(losers_[node], best);
    winner_ = best;
  }

 private:
  bool before(u32 i, u32 j) const {
    const Cursor &a = cursors_[i], &b = cursors_[j];
    if (a.done() || b.done()) return !a.done();
    return a.lead != b.lead ? a.lead < b.lead : compare(a.name, b.name) < 0;
  }

  std::vector<Cursor>& cursors_;
  std::vector<u32> losers_;
  u32 winner_;
};

void SortedMerge::add(SortedCounts&& file) {
  const size_t at = files_.size();
  const auto ends = [](const Numbers& offsets, u64 size) {
    return offsets.size > 0 && offsets[0] == 0 && offsets[offsets.size - 1] == size;
  };
  if (!ends(file.word_offsets, file.words.size()) || !ends(file.cell_offsets, file.classes.size) ||
      file.word_offsets.size != file.cell_offsets.size || file.classes.size != file.counts.size ||
      file.shift > 24)
    throw BrokenFile(at, "its arrays do not fit together");
  for (const u32 c : file.class_map)
    if (c >= n_classes_) throw std::invalid_argument("a class map that does not fit");
  files_.push_back(std::move(file));
  seen_.emplace_back();
}

std::span<const u8> SortedMerge::name(size_t file, u64 row) const {
  const SortedCounts& of = files_[file];
  const u64 begin = of.word_offsets[row], end = of.word_offsets[row + 1];
  if (begin > end || end > of.words.size()) throw BrokenFile(file, "broken word offsets");
  return of.words.subspan(begin, end - begin);
}

u64 SortedMerge::row_of(size_t file, std::span<const u8> wanted) const {
  u64 lo = 0, hi = files_[file].word_offsets.size - 1;
  while (lo < hi) {
    const u64 middle = lo + (hi - lo) / 2;
    compare(name(file, middle), wanted) < 0 ? lo = middle + 1 : hi = middle;
  }
  return lo;
}

namespace {

u64 size_of(const SortedCounts& f) {
  return f.words.size() + f.word_offsets.size * (f.word_offsets.width + f.cell_offsets.width) +
         f.classes.size * (f.classes.width + f.counts.width);
}

}  // namespace

void SortedMerge::sample(size_t file, u64 bytes, u64 piece, u64 pieces) {
  constexpr u64 kSamples = 32;  // of each range
  if (piece >= pieces) throw std::invalid_argument("no such piece");
  const u64 rows = files_.at(file).word_offsets.size - 1;
  const u64 n = std::min(rows, size_of(files_[file]) * kSamples / std::max<u64>(bytes, 1) + 1);
  for (u64 i = n * piece / pieces; i < n * (piece + 1) / pieces; ++i) {
    const auto found = name(file, u64((__uint128_t(rows) * i) / n));
    samples_.emplace_back(found.begin(), found.end());
  }
}

size_t SortedMerge::cut(u64 bytes) {
  u64 all = 0;
  for (const SortedCounts& file : files_) all += size_of(file);
  const size_t wanted = size_t(all / std::max<u64>(bytes, 1)) + 1;
  const auto less = [](std::span<const u8> a, std::span<const u8> b) { return compare(a, b) < 0; };
  std::sort(samples_.begin(), samples_.end(), less);
  cuts_.assign(1, {});
  for (size_t i = 1; i < wanted && !samples_.empty(); ++i) {
    const auto& sample = samples_[samples_.size() * i / wanted];
    if (less(cuts_.back(), sample)) cuts_.push_back(sample);
  }
  samples_.clear();
  starts_.assign(cuts_.size() + 1, std::vector<u64>(files_.size()));
  return cuts_.size();
}

void SortedMerge::place(size_t file, u64 piece, u64 pieces) {
  if (piece >= pieces || cuts_.empty()) throw std::invalid_argument("no such piece");
  const u64 rows = files_.at(file).word_offsets.size - 1;
  const u64 n = cuts_.size() - 1, end = n * (piece + 1) / pieces;
  for (size_t i = n * piece / pieces + 1; i <= end; ++i)  // rows ascend where names do not, too
    starts_[i][file] = std::max(starts_[i - 1][file], row_of(file, cuts_[i]));
  starts_.back()[file] = rows;
}

SortedMerge::Cursor SortedMerge::cursor(size_t file, size_t range) const {
  Cursor at{file, starts_[range][file], starts_[range + 1][file], {}, 0};
  if (at.done()) return at;
  at.name = name(file, at.row);
  at.lead = leading(at.name);
  const bool is_last = range + 1 == cuts_.size();
  if ((range && compare(at.name, cuts_[range]) < 0) ||
      (!is_last && compare(name(file, at.end - 1), cuts_[range + 1]) >= 0))
    throw BrokenFile(file, "words out of order");
  return at;
}

void SortedMerge::advance(Cursor& at) const {
  if (++at.row == at.end) return;
  const std::span<const u8> next = name(at.file, at.row);
  const u64 lead = leading(next);
  if (lead < at.lead || (lead == at.lead && compare(at.name, next) >= 0))
    throw BrokenFile(at.file, "words out of order");
  at.name = next;
  at.lead = lead;
}

void SortedMerge::take_cells(const Cursor& at, Sums& sums) const {
  const SortedCounts& file = files_[at.file];
  const u64 begin = file.cell_offsets[at.row], end = file.cell_offsets[at.row + 1];
  const auto check = [&](bool holds, const char* what) {
    if (!holds) throw BrokenFile(at.file, what);
  };
  check(begin <= end && end <= file.classes.size, "broken cell offsets");
  check(begin < end, "a word without a count");
  u64 before = 0;
  for (u64 i = begin; i < end; ++i) {
    const u64 c = file.classes[i], count = file.counts[i];
    check(c < file.class_map.size(), "a class that is not there");
    check(i == begin || before < c, "classes out of order");
    check(count > 0, "a count of zero");
    check(count <= ~u64{0} >> file.shift, "counts that are too large");
    before = c;
    sums.seen[at.file].see(count, c);
    u64& sum = sums.counts[file.class_map[c]];
    if (!sum) sums.classes.push_back(file.class_map[c]);
    if (__builtin_add_overflow(sum, count << file.shift, &sum))
      throw std::overflow_error("the counts of the sum are too large");
  }
}

// Appends the feature whose cells were taken, unless it is below the floor; clears the sums.
void SortedMerge::put(std::span<const u8> name, Sums& sums, MergedRange& out, size_t file) const {
  const u8* const end = name.data() + name.size();
  if (valid_until(name.data(), end) != end) throw BrokenFile(file, "a word that is not UTF-8");
  if (!Vocabulary::can_have(recipe_, name))
    throw BrokenFile(file, "a word that the recipe cannot make");
  std::sort(sums.classes.begin(), sums.classes.end());
  u64 total = 0;
  for (const u32 c : sums.classes)
    if (__builtin_add_overflow(total, sums.counts[c], &total) ||
        __builtin_add_overflow(sums.tokens[c], sums.counts[c], &sums.tokens[c]))
      throw std::overflow_error("the counts of the sum are too large");
  const bool kept = total >= floor_;
  for (const u32 c : sums.classes) {
    if (kept) {
      out.classes.push_back(c);
      out.counts.push_back(sums.counts[c]);
    }
    sums.counts[c] = 0;
  }
  if (kept) {
    out.words.insert(out.words.end(), name.begin(), name.end());
    out.word_sizes.push_back(u32(name.size()));
    out.cell_sizes.push_back(u32(sums.classes.size()));
  }
  sums.classes.clear();
}

void SortedMerge::note(const Sums& sums) {
  const std::lock_guard lock(mutex_);
  for (size_t f = 0; f < seen_.size(); ++f) seen_[f].add(sums.seen[f]);
  for (u32 c = 0; c < n_classes_; ++c) {
    tokens_[c] += sums.tokens[c];  // no overflow: all classes together have none
    if (__builtin_add_overflow(all_, sums.tokens[c], &all_))
      throw std::overflow_error("the counts of the sum are too large");
  }
}

MergedRange SortedMerge::range(size_t i) {
  if (i >= cuts_.size()) throw std::invalid_argument("no such range");
  std::vector<Cursor> cursors;
  for (size_t f = 0; f < files_.size(); ++f) cursors.push_back(cursor(f, i));
  Sums sums{std::vector<u64>(n_classes_),
            {},
            std::vector<u64>(n_classes_),
            std::vector<SeenNumbers>(files_.size())};
  MergedRange out;
  if (cursors.empty()) return out;
  Tournament tournament(cursors);
  while (!tournament.winner().done()) {
    const std::span<const u8> least = tournament.winner().name;
    const u64 lead = tournament.winner().lead;
    const size_t file = tournament.winner().file;
    do {
      Cursor& winner = tournament.winner();
      take_cells(winner, sums);
      advance(winner);
      tournament.replay();
    } while (!tournament.winner().done() && tournament.winner().lead == lead &&
             compare(tournament.winner().name, least) == 0);
    put(least, sums, out, file);
  }
  note(sums);
  return out;
}

}  // namespace nabi
