// Fuzz target: the sum of files, range by range, is that of their tables; damaged files are
// refused.
#include "count/merge.h"

#include <optional>
#include <stdexcept>

#include "fuzz/damage.h"
#include "fuzz/tables.h"

using namespace nabi;

namespace {

// A file as the merge reads it: numbers of random widths, where they fit.
struct File {
  fuzz::Arrays arrays;
  std::vector<std::vector<u8>> numbers;

  template <class T, class Allocator>
  Numbers narrow(fuzz::Input& given, const std::vector<T, Allocator>& values) {
    u64 most = 0;
    for (const T value : values) most = std::max<u64>(most, value);
    const unsigned least = most < 1 << 8 ? 1 : most < 1 << 16 ? 2 : most >> 32 ? 8 : 4;
    const unsigned width = std::max(least, 1u << given.below(4));
    std::vector<u8> bytes(values.size() * width);
    for (size_t i = 0; i < values.size(); ++i) {
      const u64 value = values[i];
      std::memcpy(&bytes[i * width], &value, width);  // little-endian
    }
    numbers.push_back(std::move(bytes));
    return {numbers.back().data(), values.size(), width};
  }

  SortedCounts sorted(fuzz::Input& given) {
    const ModelArrays& model = arrays.model;
    numbers.reserve(4);
    SortedCounts out{model.words,
                     narrow(given, model.word_offsets),
                     narrow(given, model.cells.offsets),
                     narrow(given, model.cells.classes),
                     narrow(given, model.cells.counts),
                     0,
                     fuzz::identity(arrays.docs.size())};
    return out;
  }
};

// The sum of the tables; none where a file is refused, or the sum is too large.
std::optional<CountTable> sum_of_tables(const Recipe& recipe, const std::vector<File>& files) {
  std::optional<CountTable> sum;
  try {
    for (const File& file : files) {
      CountTable table = fuzz::table_of(recipe, file.arrays.model, file.arrays.docs);
      if (sum)
        sum->add(table, fuzz::identity(table.docs.size()));
      else
        sum.emplace(std::move(table));
    }
    u64 all = 0;
    for (const u64 n : sum->tokens)
      if (__builtin_add_overflow(all, n, &all)) return {};
  } catch (const std::invalid_argument&) {
    return {};
  } catch (const std::overflow_error&) {
    return {};
  }
  return sum;
}

std::optional<ModelArrays> merged(fuzz::Input& given, const Recipe& recipe,
                                  std::vector<File>& files, u32 n_classes, u64 floor,
                                  std::vector<u64>& tokens) {
  ModelArrays out;
  out.word_offsets.push_back(0);
  out.cells.offsets.push_back(0);
  try {
    SortedMerge merge(recipe, n_classes, floor);
    for (File& file : files) merge.add(file.sorted(given));
    const u64 bytes = 1 + given.below(200);
    for (size_t f = 0; f < files.size(); ++f) {
      merge.sample(f, bytes, 0, 2);
      merge.sample(f, bytes, 1, 2);
    }
    const size_t n = merge.cut(bytes);
    for (size_t f = 0; f < files.size(); ++f) {
      merge.place(f, 0, 2);
      merge.place(f, 1, 2);
    }
    for (size_t i = 0; i < n; ++i) {
      const MergedRange range = merge.range(i);
      CHECK(range.word_sizes.size() == range.cell_sizes.size());
      out.words.insert(out.words.end(), range.words.begin(), range.words.end());
      for (const u32 size : range.word_sizes)
        out.word_offsets.push_back(out.word_offsets.back() + size);
      for (const u32 size : range.cell_sizes)
        out.cells.offsets.push_back(out.cells.offsets.back() + size);
      out.cells.classes.insert(out.cells.classes.end(), range.classes.begin(), range.classes.end());
      out.cells.counts.insert(out.cells.counts.end(), range.counts.begin(), range.counts.end());
    }
    tokens = merge.tokens();
  } catch (const BrokenFile& error) {
    CHECK(error.file < files.size());
    return {};
  } catch (const std::overflow_error&) {
    return {};
  }
  return out;
}

u64 total(const Cells& cells, size_t f) {
  u64 sum = 0;
  for (u64 i = cells.offsets[f]; i < cells.offsets[f + 1]; ++i) sum += cells.counts[i];
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input given(data, size);
  const Recipe recipe = fuzz::any_recipe(given);
  const u32 n_classes = 1 + given.below(3), n_files = 1 + given.below(4);
  const u32 damages = given.below(2) ? given.below(3) : 0;
  const u64 floor = given.below(2) ? u64{given.below(4)} * kUnit : 0;
  const fuzz::AnyTexts any(given, recipe);
  std::vector<File> files(n_files);
  for (u32 i = 0; i < n_files; ++i) {
    Texts own;
    for (size_t t = i; t < any.texts.size(); t += n_files) own.push_back(any.texts[t]);
    files[i].arrays = fuzz::sound_arrays(recipe, own, n_classes);
  }
  for (u32 i = 0; i < damages; ++i) fuzz::damage_counts(given, files[given.below(n_files)].arrays);

  const std::optional<CountTable> sum = sum_of_tables(recipe, files);
  std::vector<u64> tokens;
  const std::optional<ModelArrays> found = merged(given, recipe, files, n_classes, floor, tokens);
  CHECK(sum.has_value() == found.has_value());
  if (!sum) return 0;
  CHECK(tokens == sum->tokens);
  const ModelArrays whole = fuzz::arrays_of(*sum);
  if (!floor) {
    CHECK(fuzz::same(*found, whole));
    return 0;
  }
  size_t kept = 0;
  for (size_t f = 0; f + 1 < whole.word_offsets.size(); ++f) kept += total(whole.cells, f) >= floor;
  CHECK(found->word_offsets.size() == kept + 1);
  for (size_t f = 0; f < kept; ++f) CHECK(total(found->cells, f) >= floor);
  return 0;
}
