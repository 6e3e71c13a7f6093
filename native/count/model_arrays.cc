// Writing and checking the arrays of a model file.
#include "count/model_arrays.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "unicode/utf8.h"
#include "vocabulary/name_order.h"

namespace nabi {
namespace {

bool is_utf8(std::span<const u8> name) {
  if (name.empty() || is_ascii(name.data(), name.size())) return true;
  const u8 *p = name.data(), *const end = p + name.size();
  u32 bad;
  while (p < end) {
    const u32 size = well_formed(p, end, &bad);
    if (!size) return false;
    p += size;
  }
  return true;
}

struct Entry {
  u64 leading;
  u32 feature;
};

}  // namespace

ModelArrays to_arrays(const CountTable& table, std::span<const u32> class_rank) {
  const Vocabulary::Names names = table.vocabulary.names();
  const Cells cells = table.cells();
  const auto name = [&](u32 f) {
    return std::span(names.bytes)
        .subspan(names.offsets[f], names.offsets[f + 1] - names.offsets[f]);
  };
  std::vector<Entry> entries;
  for (u32 f = 0; f + 1 < names.offsets.size(); ++f)
    if (cells.offsets[f] != cells.offsets[f + 1]) entries.push_back({leading(name(f)), f});
  std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
    if (a.leading != b.leading) return a.leading < b.leading;
    return compare(name(a.feature), name(b.feature)) < 0;
  });

  ModelArrays out;
  out.word_offsets.reserve(entries.size() + 1);
  out.features.reserve(entries.size());
  out.cells.offsets.reserve(entries.size() + 1);
  out.cells.classes.reserve(cells.classes.size());
  out.cells.counts.reserve(cells.counts.size());
  std::vector<std::pair<u32, u64>> row;
  for (const Entry& entry : entries) {
    out.features.push_back(entry.feature);
    out.word_offsets.push_back(out.words.size());
    out.cells.offsets.push_back(out.cells.classes.size());
    const auto bytes = name(entry.feature);
    out.words.insert(out.words.end(), bytes.begin(), bytes.end());
    row.clear();
    for (u64 i = cells.offsets[entry.feature]; i < cells.offsets[entry.feature + 1]; ++i)
      row.emplace_back(class_rank[cells.classes[i]], cells.counts[i]);
    std::sort(row.begin(), row.end());
    for (const auto& [cls, count] : row) {
      out.cells.classes.push_back(cls);
      out.cells.counts.push_back(count);
    }
  }
  out.word_offsets.push_back(out.words.size());
  out.cells.offsets.push_back(out.cells.classes.size());
  return out;
}

CountTable from_arrays(const Recipe& recipe, std::span<const u8> words,
                       std::span<const u64> word_offsets, std::span<const u64> cell_offsets,
                       std::span<const u32> classes, std::span<const u64> counts,
                       std::span<const u64> docs) {
  const auto check = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
  };
  check(!word_offsets.empty() && word_offsets.size() == cell_offsets.size() &&
            classes.size() == counts.size(),
        "arrays of different lengths");
  const size_t n = word_offsets.size() - 1;
  check(n < kMostIds, "more than 2^31 features");
  const auto climbs = [&](std::span<const u64> offsets, size_t end) {
    return offsets[0] == 0 && offsets[n] == end && std::is_sorted(offsets.begin(), offsets.end());
  };
  check(climbs(word_offsets, words.size()), "broken word offsets");
  check(climbs(cell_offsets, classes.size()), "broken cell offsets");

  CountTable table(recipe);
  table.docs.assign(docs.begin(), docs.end());
  table.tokens.assign(docs.size(), 0);
  std::vector<Vocabulary::FeatureId> features(n);
  std::span<const u8> before;
  for (size_t f = 0; f < n; ++f) {
    const auto name = words.subspan(word_offsets[f], word_offsets[f + 1] - word_offsets[f]);
    check(f == 0 || compare(before, name) < 0, "words out of order");
    check(cell_offsets[f] < cell_offsets[f + 1], "a word without a count");
    check(is_utf8(name), "a word that is not UTF-8");
    features[f] = table.vocabulary.intern(name);
    check(features[f].id != kNone, "a word that the recipe cannot make");
    before = name;
  }
  u64 all = 0;  // tokens of all classes
  for (size_t f = 0; f < n; ++f) {
    for (u64 i = cell_offsets[f]; i < cell_offsets[f + 1]; ++i) {
      check(classes[i] < docs.size(), "a class that is not there");
      check(i == cell_offsets[f] || classes[i - 1] < classes[i], "classes out of order");
      check(counts[i] > 0, "a count of zero");
      check(!__builtin_add_overflow(all, counts[i], &all), "counts that are too large");
      table.tokens[classes[i]] += counts[i];
    }
  }
  // Names are unique, so each row is met once, its classes ascending.
  for (int s = 0; s < kSpaces; ++s) {
    table.rows[size_t(s)].build(table.vocabulary.size(Space(s)), [&](auto take) {
      for (size_t f = 0; f < n; ++f) {
        if (features[f].space != s) continue;
        for (u64 i = cell_offsets[f]; i < cell_offsets[f + 1]; ++i)
          take(features[f].id, classes[i], counts[i]);
      }
    });
  }
  return table;
}

template <class Offset>
std::vector<int64_t> locate(std::span<const u8> words, std::span<const Offset> word_offsets,
                            std::span<const u8> names, std::span<const u64> name_offsets) {
  const auto word = [&](size_t i) {
    const u64 begin = word_offsets[i], end = word_offsets[i + 1];
    if (begin > end || end > words.size()) throw std::invalid_argument("broken word offsets");
    return words.subspan(begin, end - begin);
  };
  std::vector<int64_t> found;
  for (size_t k = 0; k + 1 < name_offsets.size(); ++k) {
    const auto name = names.subspan(name_offsets[k], name_offsets[k + 1] - name_offsets[k]);
    size_t lo = 0, hi = word_offsets.empty() ? 0 : word_offsets.size() - 1;
    int64_t at = -1;
    while (lo < hi && at < 0) {
      const size_t middle = lo + (hi - lo) / 2;
      const int order = compare(word(middle), name);
      if (order == 0) at = int64_t(middle);
      order < 0 ? lo = middle + 1 : hi = middle;
    }
    found.push_back(at);
  }
  return found;
}

template std::vector<int64_t> locate(std::span<const u8>, std::span<const u32>, std::span<const u8>,
                                     std::span<const u64>);
template std::vector<int64_t> locate(std::span<const u8>, std::span<const u64>, std::span<const u8>,
                                     std::span<const u64>);

}  // namespace nabi
