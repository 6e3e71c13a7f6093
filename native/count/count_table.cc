// Sparse rows of counts; adding and subtracting tables.
#include "count/count_table.h"

#include <algorithm>
#include <stdexcept>

#include "platform/threads.h"
#include "vocabulary/feature_map.h"

namespace nabi {
namespace {

u64 checked_add(u64 a, u64 b) {
  u64 sum;
  if (__builtin_add_overflow(a, b, &sum))
    throw std::overflow_error("the counts are full: more than 2^40 weighted tokens");
  return sum;
}

std::span<const u8> name_at(std::span<const u8> bytes, std::span<const u64> offsets, size_t i) {
  return bytes.subspan(offsets[i], offsets[i + 1] - offsets[i]);
}

}  // namespace

// ---- rows ----

Rows::Rows(std::vector<Rows>&& parts, unsigned threads) {
  std::vector<size_t> row(parts.size() + 1), cell(parts.size() + 1);
  for (size_t p = 0; p < parts.size(); ++p) {
    row[p + 1] = row[p] + parts[p].rows_.size();
    cell[p + 1] = cell[p] + parts[p].classes_.size();
    full_ += parts[p].full_;
  }
  rows_.resize(row.back());
  classes_.resize(cell.back());
  counts_.resize(cell.back());
  on_threads(threads, [&](unsigned t) {
    for (size_t p = t; p < parts.size(); p += threads) {
      const Rows part = std::move(parts[p]);
      for (size_t i = 0; i < part.rows_.size(); ++i) {
        rows_[row[p] + i] = part.rows_[i];
        rows_[row[p] + i].at += cell[p];
      }
      std::copy(part.classes_.begin(), part.classes_.end(), classes_.begin() + ptrdiff_t(cell[p]));
      std::copy(part.counts_.begin(), part.counts_.end(), counts_.begin() + ptrdiff_t(cell[p]));
    }
  });
}

size_t Rows::position(const Row& row, u32 cls) const {
  const auto begin = classes_.begin() + ptrdiff_t(row.at);
  return size_t(std::lower_bound(begin, begin + row.n, cls) - classes_.begin());
}

u64 Rows::count(u32 id, u32 cls) const {
  if (empty(id)) return 0;
  const Row& row = rows_[id];
  const size_t i = position(row, cls);
  return i < row.at + row.n && classes_[i] == cls ? counts_[i] : 0;
}

// Moves a full row to the end of the pool, with twice the room.
void Rows::widen(Row& row) {
  const u64 at = classes_.size();
  const u32 room = std::max<u32>(1, row.room * 2);
  classes_.resize(at + room);
  counts_.resize(at + room);
  std::copy_n(classes_.begin() + ptrdiff_t(row.at), row.n, classes_.begin() + ptrdiff_t(at));
  std::copy_n(counts_.begin() + ptrdiff_t(row.at), row.n, counts_.begin() + ptrdiff_t(at));
  row.at = at;
  row.room = room;
}

void Rows::add(u32 id, u32 cls, u64 units) {
  if (id >= rows_.size()) rows_.resize(size_t{id} + 1, Row{});
  Row& row = rows_[id];
  size_t i = position(row, cls);
  if (i < row.at + row.n && classes_[i] == cls) {
    counts_[i] = checked_add(counts_[i], units);
    return;
  }
  if (row.n == row.room) {
    const size_t within = i - row.at;
    widen(row);
    i = row.at + within;
  }
  const auto shift = [&](auto& values) {
    const auto begin = values.begin();
    std::copy_backward(begin + ptrdiff_t(i), begin + ptrdiff_t(row.at + row.n),
                       begin + ptrdiff_t(row.at + row.n + 1));
  };
  shift(classes_);
  shift(counts_);
  classes_[i] = cls;
  counts_[i] = units;
  full_ += ++row.n == 1;
}

void Rows::subtract(u32 id, u32 cls, u64 units) {
  Row& row = rows_[id];
  const size_t i = position(row, cls);
  if ((counts_[i] -= units) != 0) return;
  const auto close = [&](auto& values) {
    const auto begin = values.begin();
    std::copy(begin + ptrdiff_t(i + 1), begin + ptrdiff_t(row.at + row.n), begin + ptrdiff_t(i));
  };
  close(classes_);
  close(counts_);
  full_ -= --row.n == 0;
}

// ---- tables ----

void CountTable::widen(size_t classes) {
  if (docs.size() >= classes) return;
  docs.resize(classes);
  tokens.resize(classes);
}

void CountTable::add(const CountTable& other, std::span<const u32> class_map) {
  // Before anything changes: the sum of all tokens bounds every other sum.
  u64 all_docs = 0, all_tokens = 0;
  for (const CountTable* table : {static_cast<const CountTable*>(this), &other}) {
    for (const u64 n : table->docs) all_docs = checked_add(all_docs, n);
    for (const u64 n : table->tokens) all_tokens = checked_add(all_tokens, n);
  }
  for (size_t c = 0; c < other.docs.size(); ++c) widen(size_t{class_map[c]} + 1);
  const FeatureMap maps = merge_vocabulary(other.vocabulary, vocabulary);
  for (int s = 0; s < kSpaces; ++s) {
    const Rows& from = other.rows[size_t(s)];
    for (u32 id = 0; id < from.size(); ++id) {
      const auto classes = from.classes(id);
      const auto counts = from.counts(id);
      for (size_t i = 0; i < classes.size(); ++i)
        rows[size_t(s)].add(maps[size_t(s)][id], class_map[classes[i]], counts[i]);
    }
  }
  for (size_t c = 0; c < other.docs.size(); ++c) {
    docs[class_map[c]] += other.docs[c];
    tokens[class_map[c]] += other.tokens[c];
  }
}

std::optional<std::vector<u8>> CountTable::subtract(const CountTable& other,
                                                    std::span<const u32> class_map) {
  for (size_t c = 0; c < other.docs.size(); ++c) {
    const bool known = class_map[c] < docs.size();
    const u64 own_docs = known ? docs[class_map[c]] : 0, own = known ? tokens[class_map[c]] : 0;
    if (own_docs < other.docs[c] || own < other.tokens[c]) return std::vector<u8>{};
    // Words that no document would be left for.
    if (own_docs == other.docs[c] && own != other.tokens[c]) return std::vector<u8>{};
  }
  const FeatureMap maps = find_vocabulary(other.vocabulary, vocabulary);
  const auto each = [&](auto take) {
    for (size_t s = 0; s < kSpaces; ++s) {
      const Rows& from = other.rows[s];
      for (u32 id = 0; id < from.size(); ++id) {
        const auto classes = from.classes(id);
        const auto counts = from.counts(id);
        for (size_t i = 0; i < classes.size(); ++i)
          if (!take(s, id, maps[s][id], class_map[classes[i]], counts[i])) return;
      }
    }
  };
  std::optional<std::vector<u8>> lacking;
  each([&](size_t s, u32 id, u32 own, u32 cls, u64 units) {
    if (own != kNone && rows[s].count(own, cls) >= units) return true;
    const Vocabulary::Names names = other.vocabulary.names();
    size_t i = id;
    for (size_t before = 0; before < s; ++before) i += other.vocabulary.size(Space(before));
    const auto name = name_at(names.bytes, names.offsets, i);
    lacking.emplace(name.begin(), name.end());
    return false;
  });
  if (lacking) return lacking;
  each([&](size_t s, u32, u32 own, u32 cls, u64 units) {
    rows[s].subtract(own, cls, units);
    return true;
  });
  for (size_t c = 0; c < other.docs.size(); ++c) {
    if (class_map[c] >= docs.size()) continue;
    docs[class_map[c]] -= other.docs[c];
    tokens[class_map[c]] -= other.tokens[c];
  }
  return std::nullopt;
}

Cells CountTable::cells(std::span<const u32> class_rank, unsigned threads) const {
  Cells out;
  out.offsets.resize(size_t{vocabulary.size()} + 1);
  size_t first[kSpaces + 1] = {};  // feature of each space
  u64 at = 0;
  for (size_t s = 0; s < kSpaces; ++s) {
    const u32 n = vocabulary.size(Space(s));
    for (u32 id = 0; id < n; ++id) {
      out.offsets[first[s] + id] = at;
      if (!rows[s].empty(id)) at += rows[s].classes(id).size();
    }
    first[s + 1] = first[s] + n;
  }
  out.offsets.back() = at;
  out.classes.resize(at);
  out.counts.resize(at);
  const auto fill = [&](size_t s, u32 id) {
    if (rows[s].empty(id)) return;
    const auto classes = rows[s].classes(id);
    const auto counts = rows[s].counts(id);
    const u64 to = out.offsets[first[s] + id];
    for (size_t i = 0; i < classes.size(); ++i) {
      out.classes[to + i] = class_rank.empty() ? classes[i] : class_rank[classes[i]];
      out.counts[to + i] = counts[i];
    }
  };
  on_threads(threads, [&](unsigned t) {
    for (size_t s = 0; s < kSpaces; ++s) {
      const u64 n = first[s + 1] - first[s];
      for (u64 id = n * t / threads; id < n * (t + 1) / threads; ++id) fill(s, u32(id));
    }
  });
  return out;
}

Cells CountTable::find(std::span<const u8> bytes, std::span<const u64> offsets) const {
  Cells out;
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    out.offsets.push_back(out.classes.size());
    const Vocabulary::FeatureId feature = vocabulary.find(name_at(bytes, offsets, i));
    if (feature.id == kNone || rows[feature.space].empty(feature.id)) continue;
    const auto classes = rows[feature.space].classes(feature.id);
    const auto counts = rows[feature.space].counts(feature.id);
    out.classes.insert(out.classes.end(), classes.begin(), classes.end());
    out.counts.insert(out.counts.end(), counts.begin(), counts.end());
  }
  out.offsets.push_back(out.classes.size());
  return out;
}

u64 CountTable::features() const {
  u64 n = 0;
  for (const Rows& space : rows) n += space.full();
  return n;
}

}  // namespace nabi
