// Fuzz target: arrays of a damaged or crafted model file are refused or loaded, never a crash.
#include <stdexcept>

#include "fuzz/tables.h"

using namespace nabi;

namespace {

struct Arrays {
  ModelArrays model;
  std::vector<u64> docs;
};

Arrays sound_arrays(const Recipe& recipe, const Texts& texts, u32 n_classes) {
  std::vector<u32> classes;
  for (size_t i = 0; i < texts.size(); ++i) classes.push_back(u32(i) % n_classes);
  const CountTable table = count(texts, classes, n_classes, {}, recipe, 1).table;
  return {fuzz::arrays_of(table), table.docs};
}

// A number that may be all but right: near the old one, near an end, or any.
template <class T>
void damage(fuzz::Input& given, std::vector<T>& values) {
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

void damage_one(fuzz::Input& given, Arrays& arrays) {
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

void check_from_arrays(const Recipe& recipe, const Arrays& arrays) {
  std::optional<CountTable> table;
  try {
    table.emplace(fuzz::table_of(recipe, arrays.model, arrays.docs));
  } catch (const std::invalid_argument&) {
    return;
  }
  // Everything was checked: the same arrays come back.
  CHECK(fuzz::same(fuzz::arrays_of(*table), arrays.model));
  CHECK(table->docs == arrays.docs);
}

template <class Offset>
void check_locate(const ModelArrays& model, const Vocabulary::Names& names, bool sound) {
  const std::vector<Offset> offsets(model.word_offsets.begin(), model.word_offsets.end());
  std::vector<int64_t> found;
  try {
    found = locate<Offset>(model.words, offsets, names.bytes, names.offsets);
  } catch (const std::invalid_argument&) {
    CHECK(!sound);
    return;
  }
  CHECK(found.size() + 1 == names.offsets.size());
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i] == -1) continue;
    CHECK(found[i] >= 0 && size_t(found[i]) + 1 < offsets.size());
    const size_t begin = offsets[size_t(found[i])], end = offsets[size_t(found[i]) + 1];
    CHECK(std::equal(model.words.begin() + ptrdiff_t(begin), model.words.begin() + ptrdiff_t(end),
                     names.bytes.begin() + ptrdiff_t(names.offsets[i]),
                     names.bytes.begin() + ptrdiff_t(names.offsets[i + 1])));
  }
  if (sound)
    for (size_t i = 0; i + 1 < found.size(); ++i) CHECK(found[i] == int64_t(i));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input given(data, size);
  Recipe recipe = fuzz::any_recipe(given);
  const u32 n_classes = 1 + given.below(3), times = given.below(4);
  const fuzz::AnyTexts any(given, recipe);
  Arrays arrays = sound_arrays(recipe, any.texts, n_classes);

  // The words of the sound file, and one that may not be in it.
  Vocabulary::Names names{arrays.model.words, arrays.model.word_offsets};
  names.bytes.insert(names.bytes.end(), any.bytes[0].begin(), any.bytes[0].end());
  names.offsets.push_back(names.bytes.size());

  for (u32 i = 0; i < times; ++i) damage_one(given, arrays);
  if (given.below(8) == 0) recipe = fuzz::any_recipe(given);  // a recipe of another model
  check_from_arrays(recipe, arrays);
  check_locate<u32>(arrays.model, names, times == 0);
  check_locate<u64>(arrays.model, names, times == 0);
  return 0;
}
