// Arrays of a model file with something changed, as a hostile author may.
#pragma once

#include "fuzz/tables.h"

namespace nabi::fuzz {

struct Arrays {
  ModelArrays model;
  std::vector<u64> docs;
};

inline Arrays sound_arrays(const Recipe& recipe, const Texts& texts, u32 n_classes) {
  std::vector<u32> classes;
  for (size_t i = 0; i < texts.size(); ++i) classes.push_back(u32(i) % n_classes);
  const CountTable table = count(texts, classes, n_classes, {}, recipe, 1).table;
  return {arrays_of(table), table.docs};
}

// A number that may be all but right: near the old one, near an end, or any.
template <class T, class Allocator>
void damage(Input& given, std::vector<T, Allocator>& values) {
  const u32 at = given.below(u32(values.size()) + 1);
  const u32 way = given.below(8);
  if (at == values.size() || way == 7) {
    if (given.flag() && !values.empty())
      values.pop_back();
    else
      values.push_back(T(given.byte()));
    return;
  }
  T& value = values[at];
  switch (way) {
    case 0:
      value = T(value + 1);
      break;
    case 1:
      value = T(value - 1);
      break;
    case 2:
      value = T(given.number());
      break;
    case 3:
      value = 0;
      break;
    case 4:
      value = T(~T{0});
      break;
    case 5:
      value = T(value ^ T(1) << given.below(8 * sizeof(T)));
      break;
    default:
      std::swap(value, values[given.below(u32(values.size()))]);
  }
}

inline void damage_one(Input& given, Arrays& arrays) {
  switch (given.below(6)) {
    case 0:
      return damage(given, arrays.model.words);
    case 1:
      return damage(given, arrays.model.word_offsets);
    case 2:
      return damage(given, arrays.model.cells.offsets);
    case 3:
      return damage(given, arrays.model.cells.classes);
    case 4:
      return damage(given, arrays.model.cells.counts);
    default:
      return damage(given, arrays.docs);
  }
}

// Likewise, but for the documents of the classes, of which there are as many as before.
inline void damage_counts(Input& given, Arrays& arrays) {
  const std::vector<u64> docs = arrays.docs;
  damage_one(given, arrays);
  arrays.docs = docs;
}

}  // namespace nabi::fuzz
