// Fuzz target: arrays of a damaged or crafted model file are refused or loaded, never a crash.
#include <stdexcept>

#include "fuzz/damage.h"
#include "fuzz/tables.h"

using namespace nabi;

namespace {

using fuzz::Arrays;

std::optional<CountTable> loaded(const Recipe& recipe, const Arrays& arrays, unsigned threads) {
  try {
    return fuzz::table_of(recipe, arrays.model, arrays.docs, threads);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

void check_from_arrays(const Recipe& recipe, const Arrays& arrays) {
  const std::optional<CountTable> table = loaded(recipe, arrays, 1);
  const std::optional<CountTable> shared = loaded(recipe, arrays, 3);
  CHECK(table.has_value() == shared.has_value());
  if (!table) return;
  CHECK(fuzz::same(*table, *shared));
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
  Arrays arrays = fuzz::sound_arrays(recipe, any.texts, n_classes);

  // The words of the sound file, and one that may not be in it.
  const RawVector<u8>& words = arrays.model.words;
  const RawVector<u64>& offsets = arrays.model.word_offsets;
  Vocabulary::Names names{{words.begin(), words.end()}, {offsets.begin(), offsets.end()}};
  names.bytes.insert(names.bytes.end(), any.bytes[0].begin(), any.bytes[0].end());
  names.offsets.push_back(names.bytes.size());

  for (u32 i = 0; i < times; ++i) fuzz::damage_one(given, arrays);
  if (given.below(8) == 0) recipe = fuzz::any_recipe(given);  // a recipe of another model
  check_from_arrays(recipe, arrays);
  check_locate<u32>(arrays.model, names, times == 0);
  check_locate<u64>(arrays.model, names, times == 0);
  return 0;
}
