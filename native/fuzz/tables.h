// Count tables in a plain form, for comparison.
#pragma once

#include <map>
#include <numeric>

#include "count/counter.h"
#include "count/from_arrays.h"
#include "count/model_arrays.h"
#include "fuzz/fuzz.h"

namespace nabi::fuzz {

inline std::vector<u32> identity(size_t n) {
  std::vector<u32> map(n);
  std::iota(map.begin(), map.end(), 0);
  return map;
}

inline std::span<const u8> name_at(const Vocabulary::Names& names, size_t f) {
  return std::span(names.bytes).subspan(names.offsets[f], names.offsets[f + 1] - names.offsets[f]);
}
inline u64 name_hash(std::span<const u8> name) { return hash64(name.data(), name.size(), 0); }

inline bool same(const Cells& a, const Cells& b) {
  return a.offsets == b.offsets && a.classes == b.classes && a.counts == b.counts;
}
inline bool same(const ModelArrays& a, const ModelArrays& b) {
  return a.words == b.words && a.word_offsets == b.word_offsets && same(a.cells, b.cells);
}
inline ModelArrays arrays_of(const CountTable& table) {
  return to_arrays(table, identity(table.docs.size()));
}
inline StoredCounts stored(const ModelArrays& a) {
  const auto of = []<class T, class A>(const std::vector<T, A>& values) {
    return Numbers::of(std::span<const T>(values));
  };
  return {a.words, of(a.word_offsets), of(a.cells.offsets), of(a.cells.classes),
          of(a.cells.counts)};
}
inline CountTable table_of(const Recipe& recipe, const ModelArrays& a, const std::vector<u64>& docs,
                           unsigned threads = 1) {
  return from_arrays(recipe, stored(a), docs, threads).table;
}
inline bool same(const CountTable& a, const CountTable& b) {
  return a.docs == b.docs && a.tokens == b.tokens && a.features() == b.features() &&
         same(arrays_of(a), arrays_of(b));
}

// All that a table holds, by the names of its features: a hash stands for each.
struct Plain {
  std::map<std::pair<u64, u32>, u64> counts;
  std::map<u32, u64> docs, tokens;
  bool operator==(const Plain&) const = default;

  void add(const Plain& other) {
    for (const auto& [key, n] : other.counts) counts[key] += n;
    for (const auto& [cls, n] : other.docs) docs[cls] += n;
    for (const auto& [cls, n] : other.tokens) tokens[cls] += n;
  }
  // Whether the other can be taken away, and leaves no words to a class without documents.
  bool holds(const Plain& other) const {
    const auto covers = [](const auto& ours, const auto& theirs) {
      return std::all_of(theirs.begin(), theirs.end(), [&](const auto& cell) {
        const auto at = ours.find(cell.first);
        return at != ours.end() && at->second >= cell.second;
      });
    };
    const auto n = [](const std::map<u32, u64>& by_class, u32 cls) {
      const auto at = by_class.find(cls);
      return at == by_class.end() ? 0 : at->second;
    };
    const auto leaves_none = [&](const auto& cell) {
      return cell.second != n(docs, cell.first) ||
             n(tokens, cell.first) == n(other.tokens, cell.first);
    };
    return covers(counts, other.counts) && covers(docs, other.docs) &&
           covers(tokens, other.tokens) &&
           std::all_of(other.docs.begin(), other.docs.end(), leaves_none);
  }
};

inline Plain plain(const CountTable& table, const std::vector<u32>& class_map) {
  Plain out;
  const Vocabulary::Names names = table.vocabulary.names();
  const Cells cells = table.cells();
  for (size_t f = 0; f + 1 < names.offsets.size(); ++f) {
    const u64 name = name_hash(name_at(names, f));
    for (u64 i = cells.offsets[f]; i < cells.offsets[f + 1]; ++i)
      out.counts[{name, class_map[cells.classes[i]]}] += cells.counts[i];
  }
  for (size_t c = 0; c < table.docs.size(); ++c) {
    if (table.docs[c]) out.docs[class_map[c]] += table.docs[c];
    if (table.tokens[c]) out.tokens[class_map[c]] += table.tokens[c];
  }
  return out;
}
inline Plain plain(const CountTable& table) { return plain(table, identity(table.docs.size())); }

}  // namespace nabi::fuzz
