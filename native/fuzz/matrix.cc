// Fuzz target: document-term matrices hold the features that a trace of each text finds.
#include <map>

#include "fuzz/fuzz.h"
#include "matrix/count_matrix.h"
#include "matrix/hashed_matrix.h"
#include "vocabulary/trace.h"

using namespace nabi;

namespace {

using Row = std::map<std::string, int64_t>;

template <class Value>
bool same(const Csr<Value>& a, const Csr<Value>& b) {
  return a.ends == b.ends && a.columns == b.columns && a.values == b.values;
}

std::vector<std::string> list_of(const Vocabulary::Names& names) {
  std::vector<std::string> out;
  for (size_t i = 0; i + 1 < names.offsets.size(); ++i)
    out.emplace_back(names.bytes.begin() + ptrdiff_t(names.offsets[i]),
                     names.bytes.begin() + ptrdiff_t(names.offsets[i + 1]));
  return out;
}

// A text's features and how often each comes.
Row row_of(const Text& text, const Recipe& recipe) {
  const Traced traced = trace(text, recipe);
  const std::vector<std::string> names = list_of(traced.vocabulary.names());
  Row row;
  for (const u32 feature : traced.features) ++row[names[feature]];
  return row;
}

// Calls take(row, column, value) for each cell, after a look at their order.
template <class Value, class Take>
void each_cell(const Csr<Value>& rows, size_t n, size_t width, Take take) {
  CHECK(rows.ends.size() == n + 1 && rows.ends[0] == 0);
  CHECK(rows.columns.size() == size_t(rows.ends[n]) && rows.values.size() == rows.columns.size());
  for (size_t r = 0; r < n; ++r) {
    for (int64_t i = rows.ends[r]; i < rows.ends[r + 1]; ++i) {
      const int32_t column = rows.columns[size_t(i)];
      CHECK(column >= 0 && size_t(column) < width);
      CHECK(i == rows.ends[r] || rows.columns[size_t(i) - 1] < column);
      take(r, size_t(column), rows.values[size_t(i)]);
    }
  }
}

void check_learned(const LearnedMatrix& learned, const std::vector<Row>& expected) {
  const std::vector<std::string> names = list_of(learned.names);
  CHECK(std::adjacent_find(names.begin(), names.end(), std::greater_equal<>()) == names.end());
  std::vector<Row> found(expected.size());
  std::vector<bool> used(names.size());
  each_cell(learned.rows, expected.size(), names.size(), [&](size_t r, size_t c, int64_t value) {
    found[r][names[c]] = value;
    used[c] = true;
  });
  CHECK(found == expected);
  CHECK(std::find(used.begin(), used.end(), false) == used.end());
}

// Some of the features, last column first.
void check_known(const Texts& texts, const Recipe& recipe, const LearnedMatrix& learned, u32 step,
                 unsigned threads, const std::vector<Row>& expected) {
  const std::vector<std::string> all = list_of(learned.names);
  std::vector<std::string> names = {"", "no such", " ", "a  b"};
  for (size_t i = 0; i < all.size(); i += step)
    if (std::find(names.begin(), names.begin() + 4, all[i]) == names.begin() + 4)
      names.push_back(all[i]);
  Texts given;
  std::vector<u32> columns;
  std::map<std::string, size_t> column_of;
  for (size_t i = 0; i < names.size(); ++i) {
    given.push_back({names[i].data(), names[i].size(), Text::kUtf8});
    columns.push_back(u32(names.size() - 1 - i));
    column_of[names[i]] = columns.back();
  }
  const KnownFeatures known(recipe, given, columns);
  const Matrix one = known_matrix(texts, known, 1), several = known_matrix(texts, known, threads);
  CHECK(same(one.rows, several.rows) && one.repaired == several.repaired);
  std::vector<std::map<size_t, int64_t>> wanted(texts.size()), found(texts.size());
  for (size_t r = 0; r < texts.size(); ++r)
    for (const auto& [name, n] : expected[r])
      if (column_of.count(name)) wanted[r][column_of[name]] = n;
  each_cell(one.rows, texts.size(), names.size(),
            [&](size_t r, size_t c, int64_t value) { found[r][c] = value; });
  CHECK(found == wanted);
}

// The hash, a byte at a time.
u32 plain_hash(const std::string& name) {
  u32 h = 0, k = 0;
  const auto mixed = [](u32 x) {
    x *= 0xCC9E2D51u;
    return (x << 15 | x >> 17) * 0x1B873593u;
  };
  for (size_t i = 0; i < name.size(); ++i) {
    k |= u32(u8(name[i])) << 8 * (i & 3);
    if ((i & 3) != 3) continue;
    h ^= mixed(k);
    h = (h << 13 | h >> 19) * 5 + 0xE6546B64u;
    k = 0;
  }
  h ^= mixed(k);
  h ^= u32(name.size());
  h = (h ^ h >> 16) * 0x85EBCA6Bu;
  h = (h ^ h >> 13) * 0xC2B2AE35u;
  return h ^ h >> 16;
}

void check_hashed(const Texts& texts, const Recipe& recipe, const Hashing& hashing,
                  unsigned threads, const std::vector<Row>& expected) {
  const HashedMatrix one = hashed_matrix(texts, recipe, hashing, 1),
                     several = hashed_matrix(texts, recipe, hashing, threads);
  CHECK(same(one.rows, several.rows) && one.repaired == several.repaired);
  std::vector<std::map<size_t, double>> wanted(texts.size()), found(texts.size());
  for (size_t r = 0; r < texts.size(); ++r) {
    for (const auto& [name, n] : expected[r]) {
      const int64_t hash = int32_t(plain_hash(name));
      const double value = double(hash < 0 && hashing.signs ? -n : n);
      wanted[r][size_t(hash < 0 ? -hash : hash) % hashing.width] += value;
    }
  }
  each_cell(one.rows, texts.size(), hashing.width,
            [&](size_t r, size_t c, double value) { found[r][c] = value; });
  CHECK(found == wanted);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static constexpr Preset kPresets[] = {Preset::kSklearn, Preset::kChars, Preset::kText};
  static constexpr u32 kWidths[] = {1, 7, 64, 1000, 1 << 12, 200'000, 1 << 20, INT32_MAX};
  fuzz::Input given(data, size);
  Recipe recipe = fuzz::any_recipe(given, kPresets[given.below(3)]);
  recipe.buckets = 0;
  if (recipe.word_hi) recipe.char_lo = recipe.char_hi = recipe.only_hangul = 0;
  if (given.flag()) recipe.stop_words = {"the", "no"};
  const Hashing hashing{kWidths[given.below(8)], given.flag(), false, Hashing::kNone};
  const u32 step = 1 + given.below(3), threads = 2 + given.below(2);
  const fuzz::AnyTexts any(given, recipe);
  Texts texts;
  for (const Text& text : any.texts) {
    texts.push_back(text);
    if (given.below(4) == 0) texts.push_back(fuzz::AnyTexts::large(false));
  }
  std::vector<Row> expected;
  for (const Text& text : texts) expected.push_back(row_of(text, recipe));

  const LearnedMatrix one = learn_matrix(texts, recipe, 1),
                      several = learn_matrix(texts, recipe, threads);
  CHECK(same(one.rows, several.rows) && one.repaired == several.repaired);
  CHECK(one.names.bytes == several.names.bytes && one.names.offsets == several.names.offsets);
  check_learned(one, expected);
  check_known(texts, recipe, one, step, threads, expected);
  check_hashed(texts, recipe, hashing, threads, expected);
  return 0;
}
