// Counting groups of texts, and looking up what they have.
#include "count/new_features.h"

#include <stdexcept>

#include "count/counter.h"
#include "vocabulary/feature_map.h"

namespace nabi {
namespace {

u64 lacking(const CountTable& counted, const Texts& texts) {
  const std::vector<u32> one_class(texts.size());
  const Counted group = count(texts, one_class, 1, {}, counted.vocabulary.recipe, 1);
  const FeatureMap maps = find_vocabulary(group.table.vocabulary, counted.vocabulary);
  u64 number = 0;
  for (size_t s = 0; s < kSpaces; ++s)
    for (u32 id = 0; id < group.table.rows[s].size(); ++id) {
      const u32 own = maps[s][id];
      number += !group.table.rows[s].empty(id) && (own == kNone || counted.rows[s].empty(own));
    }
  return number;
}

}  // namespace

std::vector<u64> new_features(const CountTable& counted, const Texts& texts,
                              std::span<const u64> ends) {
  std::vector<u64> out;
  u64 begin = 0;
  for (const u64 end : ends) {
    if (end < begin || end > texts.size()) throw std::invalid_argument("groups that do not fit");
    Texts group(texts.begin() + ptrdiff_t(begin), texts.begin() + ptrdiff_t(end));
    group.stems = texts.stems;
    out.push_back(lacking(counted, group));
    begin = end;
  }
  return out;
}

}  // namespace nabi
