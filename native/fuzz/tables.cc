// Fuzz target: count tables add and subtract exactly, find names, and survive the model file's
// arrays.
#include "fuzz/tables.h"

#include <stdexcept>

using namespace nabi;
using fuzz::Plain;

namespace {

CountTable counted(fuzz::Input& given, const Recipe& recipe, const Texts& texts, u32 n_classes) {
  std::vector<u32> classes;
  for (size_t i = 0; i < texts.size(); ++i) classes.push_back(given.below(n_classes));
  return count(texts, classes, n_classes, {}, recipe, 1).table;
}

// Where each of the other's classes goes: some to our own, some to new ones, never two to one.
std::vector<u32> any_map(fuzz::Input& given, size_t n) {
  std::vector<u32> map = fuzz::identity(n + 2);
  for (size_t i = map.size(); i > 1; --i) std::swap(map[i - 1], map[given.below(u32(i))]);
  map.resize(n);
  return map;
}

void check_adds(const CountTable& a, const CountTable& b, const std::vector<u32>& map) {
  Plain expected = fuzz::plain(a);
  expected.add(fuzz::plain(b, map));
  CountTable sum(a);
  sum.add(b, map);
  CHECK(fuzz::plain(sum) == expected);
  CHECK(sum.features() == fuzz::arrays_of(sum).word_offsets.size() - 1);
  CHECK(!sum.subtract(b, map));
  CHECK(fuzz::plain(sum) == fuzz::plain(a));
  CHECK(sum.features() == a.features());
  sum.docs.resize(a.docs.size());  // the new classes are empty again
  sum.tokens.resize(a.tokens.size());
  CHECK(fuzz::same(sum, a));
}

// What is not contained is named, and changes nothing.
void check_subtracts(const CountTable& a, const CountTable& b, const std::vector<u32>& map) {
  const Plain before = fuzz::plain(a), taken = fuzz::plain(b, map);
  CountTable rest(a);
  const auto lacking = rest.subtract(b, map);
  CHECK(!lacking == before.holds(taken));
  if (lacking) {
    CHECK(fuzz::same(rest, a));
    const u64 name = fuzz::name_hash(*lacking);
    const auto is_named = [&](const auto& cell) { return cell.first.first == name; };
    CHECK(lacking->empty() || std::any_of(taken.counts.begin(), taken.counts.end(), is_named));
  } else {
    Plain again = fuzz::plain(rest);
    again.add(taken);
    CHECK(again == before);
  }
}

void check_names(const CountTable& table, const std::vector<u8>& other) {
  const Vocabulary::Names names = table.vocabulary.names();
  CHECK(names.offsets.size() == size_t{table.vocabulary.size()} + 1);
  CHECK(fuzz::same(table.find(names.bytes, names.offsets), table.cells()));
  size_t f = 0;
  for (int s = 0; s < kSpaces; ++s) {
    for (u32 id = 0; id < table.vocabulary.size(Space(s)); ++id, ++f) {
      const Vocabulary::FeatureId found = table.vocabulary.find(fuzz::name_at(names, f));
      CHECK(found.space == s && found.id == id);
    }
  }
  const Cells cells = table.find(other, std::vector<u64>{0, other.size()});
  if (cells.classes.empty()) return;
  CHECK(fuzz::plain(table).counts.at({fuzz::name_hash(other), cells.classes[0]}) ==
        cells.counts[0]);
}

void check_arrays(const CountTable& table, const std::vector<u32>& rank) {
  const Recipe& recipe = table.vocabulary.recipe;
  const ModelArrays arrays = to_arrays(table, rank);
  std::vector<u64> docs(rank.size());
  for (size_t c = 0; c < rank.size(); ++c) docs[rank[c]] = table.docs[c];
  const CountTable again = fuzz::table_of(recipe, arrays, docs);
  CHECK(fuzz::plain(again) == fuzz::plain(table, rank));
  CHECK(again.features() == table.features());
  CHECK(fuzz::same(fuzz::arrays_of(again), arrays));
}

// Counts too large to add: an error, and nothing changes.
void check_overflow(const CountTable& table) {
  ModelArrays arrays = fuzz::arrays_of(table);
  if (arrays.cells.counts.empty()) return;
  arrays.cells.counts[0] = u64{1} << 63;
  CountTable full = fuzz::table_of(table.vocabulary.recipe, arrays, table.docs);
  const CountTable before(full);
  bool threw = false;
  try {
    full.add(before, fuzz::identity(before.docs.size()));
  } catch (const std::overflow_error&) {
    threw = true;
  }
  CHECK(threw && fuzz::same(full, before));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input given(data, size);
  const Recipe recipe = fuzz::any_recipe(given);
  const fuzz::AnyTexts any(given, recipe);
  const ptrdiff_t middle = given.below(u32(any.texts.size()) + 1);
  const Texts first(any.texts.begin(), any.texts.begin() + middle);
  // Now and then the same texts again: a part of them is contained.
  const Texts second(any.texts.begin() + (given.flag() ? middle : middle / 2), any.texts.end());
  const u32 n_classes = 1 + given.below(3);
  const CountTable a = counted(given, recipe, first, n_classes);
  const CountTable b = counted(given, recipe, second, 1 + given.below(3));
  const std::vector<u32> map = any_map(given, b.docs.size());

  check_adds(a, b, map);
  check_subtracts(a, b, map);
  check_subtracts(b, a, fuzz::identity(a.docs.size()));
  check_names(a, any.bytes.back());
  check_arrays(
      a, given.flag() ? fuzz::identity(n_classes) : [&] {
        std::vector<u32> rank = fuzz::identity(n_classes);
        std::reverse(rank.begin(), rank.end());
        return rank;
      }());
  check_overflow(a);
  return 0;
}
