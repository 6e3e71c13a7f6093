// Upper bounds of scores, and the search for the best class by them.
#include "score/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vocabulary/word_table.h"

namespace nabi {

namespace {

constexpr double kStart = BoundRows::kStart;
constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr size_t kSparse = 16;     // a row for features with cells in one class of so many
constexpr size_t kShort = 64;      // features of texts whose starts are kept
constexpr size_t kLong = 1 << 20;  // features of texts that are not bounded
constexpr size_t kMost = 1 << 24;  // classes that fit beside the steps of a cell

double largest(std::span<const double> values) {
  double found = 0;
  for (const double value : values) found = std::max(found, std::abs(value));
  return found;
}

bool finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

// ---- the table ----

std::unique_ptr<const Bounds> Bounds::of(const Weights& w) {
  if (w.bias.size() >= kMost || !w.hard_bias.empty()) return nullptr;
  if (!finite(w.slope) || !finite(w.shared) || !finite(w.cells)) return nullptr;
  std::unique_ptr<Bounds> out(new Bounds(w));
  if (!out->sort_cells()) return nullptr;
  out->make_rows();
  return out;
}

Bounds::Bounds(const Weights& weights)
    : w_(weights),
      width_((w_.bias.size() + BoundRows::kBlock - 1) / BoundRows::kBlock * BoundRows::kBlock),
      cell_size_(largest(w_.cells)),
      slope_size_(largest(w_.slope)),
      shared_size_(largest(w_.shared)) {
  double top = 1e-6;
  for (const double cell : w_.cells) {
    top = std::max(top, cell);
    negative_ |= cell < 0;
  }
  scale_ = 254.999 / top;
}

// False where a feature has two cells of one class.
bool Bounds::sort_cells() {
  std::vector<std::pair<u32, double>> row;
  entries_.reserve(w_.cells.size());
  cells_.reserve(w_.cells.size());
  for (size_t f = 0; f < w_.known.size(); ++f) {
    row.clear();
    for (u64 i = w_.offsets[f]; i < w_.offsets[f + 1]; ++i)
      row.emplace_back(w_.classes[i], w_.cells[i]);
    std::sort(row.begin(), row.end());
    for (size_t i = 0; i < row.size(); ++i) {
      const auto [c, cell] = row[i];
      if (i && c == row[i - 1].first) return false;
      entries_.push_back(c << 8 | u32(std::ceil(std::max(0.0, cell) * scale_)));
      cells_.push_back(cell);
    }
  }
  return true;
}

void Bounds::make_rows() {
  u32 rows = 0;
  for (size_t f = 0; f < w_.known.size(); ++f) {
    const u64 begin = w_.offsets[f], size = w_.offsets[f + 1] - begin;
    const bool wide = size * kSparse > w_.bias.size();
    lists_.push_back({begin, u32(size), !w_.known[f] ? kUnknown : wide ? rows++ : kNoRow});
  }
  rows_.assign(rows * width_, 0);
  for (const List& list : lists_) {
    if (list.row >= kUnknown) continue;
    u8* const row = rows_.data() + list.row * width_;
    for (u64 i = list.begin; i < list.begin + list.size; ++i)
      row[entries_[i] >> 8] = u8(entries_[i]);
  }
}

Bounds::Base Bounds::base(std::span<const double> bias) const {
  Base out{{bias.begin(), bias.end()}, w_.slope};
  for (const double b : bias) {
    out.bounded &= !(b == -kNever);
    if (!std::isfinite(b)) continue;
    out.possible = true;
    out.size = std::max(out.size, std::abs(b));
  }
  out.bias.resize(width_, kNever);
  out.slope.resize(width_, 0);
  return out;
}

// Classes ascend, so that the cell of c is at most c cells from the first, and no farther from the
// end than there are classes behind c.
double Bounds::cell(u32 feature, u32 c) const {
  const List& list = lists_[feature];
  const size_t absent = w_.bias.size() - list.size;
  const u32* const entries = entries_.data() + list.begin;
  const u32* const first = entries + (c > absent ? c - absent : 0);
  const u32* const last = entries + std::min<size_t>(size_t{c} + 1, list.size);
  const u32* const found = std::lower_bound(first, last, c << 8);
  return found < last && *found >> 8 == c ? cells_[list.begin + size_t(found - entries)] : 0;
}

void Bounds::prefetch_cells(size_t feature) const {
  const List& list = lists_[feature];
  if (list.row < kUnknown)
    for (size_t i = 0; i < 256; i += 64) prefetch(rows_.data(), list.row * width_ + i);
  else
    for (size_t i = 0; i < 32; i += 16) prefetch(entries_.data(), list.begin + i);
}

// More steps than a bound may be too low by: sums are rounded, and so is a score.
double Bounds::margin(double n, const Base& base) const {
  const double terms = base.size + n * (slope_size_ + shared_size_ + cell_size_);
  return 1 + terms * scale_ * (n + 8) * 0x1p-50;
}

// ---- the search ----

Bounds::Search::Search(const Bounds& bounds, const Base& base, const BoundRows& loops)
    : b_(bounds),
      base_(base),
      loops_(loops),
      starts_(kShort),
      steps_(b_.width_),
      tops_(b_.width_ / BoundRows::kBlock) {}

bool Bounds::Search::best(std::span<const u32> features, double shared, u32* out) {
  const double margin = b_.margin(double(features.size()), base_);
  if (!base_.bounded || features.size() >= kLong || !(margin < kStart)) return false;
  if (!base_.possible) return *out = kNone, true;
  start(features.size());
  add(features.first(std::min(features.size(), kFlush)));
  long_ = features.size() > kFlush;
  if (long_) sums_.assign(steps_.begin(), steps_.end());
  for (size_t i = kFlush; i < features.size(); i += kFlush) {
    std::fill(steps_.begin(), steps_.end(), u16{0});
    add(features.subspan(i, std::min(features.size() - i, kFlush)));
    loops_.add_steps(steps_.data(), steps_.size(), sums_.data());
  }
  return choose(features, shared, margin, out);
}

// Sets the steps of a text without a cell.
void Bounds::Search::start(size_t n) {
  const auto fill = [&](u16* steps) {
    return loops_.start(base_.bias.data(), base_.slope.data(), b_.width_, double(n), b_.scale_,
                        steps);
  };
  if (n >= kShort) {
    top_ = fill(steps_.data());
    return;
  }
  Start& kept = starts_[n];
  if (kept.steps.empty()) {
    kept.steps.resize(b_.width_);
    kept.top = fill(kept.steps.data());
  }
  std::copy(kept.steps.begin(), kept.steps.end(), steps_.begin());
  top_ = kept.top;
}

void Bounds::Search::add(std::span<const u32> features) {
  u16* const steps = steps_.data();
  for (const u32 f : features) {
    const List& list = b_.lists_[f];
    if (list.row < kUnknown) {
      loops_.add_row(b_.rows_.data() + list.row * b_.width_, b_.width_, steps);
      continue;
    }
    const u32* const entries = b_.entries_.data() + list.begin;
    for (size_t i = 0; i < list.size; ++i)
      steps[entries[i] >> 8] = u16(steps[entries[i] >> 8] + u8(entries[i]));
  }
}

bool Bounds::Search::choose(std::span<const u32> features, double shared, double margin, u32* out) {
  const double n = double(features.size());
  const u32 greatest = long_ ? loops_.tops_of_sums(sums_.data(), b_.width_, tops_.data())
                             : loops_.tops_of_steps(steps_.data(), b_.width_, tops_.data());
  const u32 first = top(greatest);
  const bool exact_first = b_.negative_ || !(top_ - start_of(first, n) < kStart / b_.scale_);
  // Otherwise each cell was rounded up by less than a step, and so was the start.
  if (!exact_first) gather(greatest - n - 2 * margin);
  if (!exact_first && candidates_.size() == 1) return *out = first, true;
  u32 best = first;
  double most = exact(features, shared, first);
  if (!(most > kNever)) return false;
  const auto least = [&] { return ((most - shared) - top_) * b_.scale_ + kStart - margin; };
  if (exact_first) gather(least());
  size_t left = most_candidates(features);
  for (const u32 c : candidates_) {
    if (c == first || bound(c) < least()) continue;
    if (!left--) return false;
    const double score = exact(features, shared, c);
    if (score > most || (score == most && c < best)) {
      most = score;
      best = c;
    }
  }
  *out = best;
  return true;
}

// The first class with this bound.
u32 Bounds::Search::top(u32 greatest) const {
  const auto block = std::find(tops_.begin(), tops_.end(), greatest) - tops_.begin();
  u32 c = u32(size_t(block) * BoundRows::kBlock);
  while (bound(c) != greatest) ++c;
  return c;
}

// The classes whose bound is not below `least`.
void Bounds::Search::gather(double least) {
  candidates_.clear();
  for (size_t block = 0; block < tops_.size(); ++block) {
    if (tops_[block] < least) continue;
    const u32 first = u32(block * BoundRows::kBlock);
    for (u32 c = first; c < first + BoundRows::kBlock && c < b_.w_.bias.size(); ++c)
      if (bound(c) >= least) candidates_.push_back(c);
  }
}

double Bounds::Search::exact(std::span<const u32> features, double shared, u32 c) const {
  double sum = 0;
  for (const u32 f : features) sum += b_.cell(f, c);
  return b_.w_.score(base_.bias[c], c, double(features.size()), shared, sum);
}

// So many exact scores take the time of all scores: a search in n lists each, against a pass
// through all cells of the features and through all classes.
size_t Bounds::Search::most_candidates(std::span<const u32> features) const {
  size_t cells = b_.w_.bias.size();
  for (const u32 f : features) cells += b_.lists_[f].size;
  return 4 + cells / (64 * (features.size() + 1));
}

}  // namespace nabi
