// Fuzz target: features of a text with one preset. Every way to extract them gives the same ones.
#include <numeric>

#include "count/counter.h"
#include "fuzz/fuzz.h"
#include "vocabulary/extractor.h"
#include "vocabulary/trace.h"

using namespace nabi;

extern const Preset kPreset;  // each has a program of its own: preset.cc

namespace {

using Tokens = std::vector<std::string>;

Text utf8_text(const std::vector<u8>& bytes) { return {bytes.data(), bytes.size(), Text::kUtf8}; }

// ---- tokens ----

// The tokens on the tape, after a look at each of its promises.
Tokens tokens_on(const Tape& tape, size_t text_size) {
  Tokens out;
  CHECK(tape.size + kPadding <= tape.bytes.size());
  u32 edges[TokenCursor::kMost], last = 0;
  TokenCursor cursor(tape);
  while (const size_t n = cursor.next(edges)) {
    CHECK(n % 2 == 0 && n <= TokenCursor::kMost);
    for (size_t i = 0; i < n; i += 2) {
      const u32 begin = edges[i], end = edges[i + 1];
      CHECK(begin >= last && begin < end && end <= tape.size);
      const Origin first = tape.origin[begin], final = tape.origin[end - 1];
      CHECK(first.first <= final.last && final.last < text_size);
      last = end + 1;
      out.emplace_back(tape.bytes.begin() + begin, tape.bytes.begin() + end);
    }
  }
  CHECK(cursor.next(edges) == 0);
  for (const std::string& token : out) {
    const u8* p = reinterpret_cast<const u8*>(token.data());
    for (const u8* const end = p + token.size(); p < end;) {
      u32 bad;
      const u32 size = well_formed(p, end, &bad);
      CHECK(size);
      p += size;
    }
  }
  return out;
}

Tokens tokens_of(const Recipe& recipe, Utf8 text) {
  Tape tape;
  tape.track_origin = true;
  // A tape is used for one text after another: nothing of an earlier one may stay.
  split(recipe, text, tape);
  tokens_on(tape, text.size);
  tokenize(recipe, text, tape);
  return tokens_on(tape, text.size);
}

// Negation looks at one code point after another, where vectors do the work without it.
void check_negation(const Recipe& recipe, Utf8 text, Tokens tokens) {
  if (kPreset != Preset::kWords && kPreset != Preset::kTweets) return;
  Recipe other = recipe;
  other.negation = !recipe.negation;
  Tokens others = tokens_of(other, text);
  std::erase(tokens, std::string(1, char(kClauseEnd)));
  std::erase(others, std::string(1, char(kClauseEnd)));
  CHECK(tokens == others);
}

// ---- features ----

struct Feature {
  u64 name;  // a hash of it
  u64 begin, end;
  auto operator<=>(const Feature&) const = default;
};
using Features = std::vector<Feature>;

u64 hash_of(std::string_view name, u64 seed) {
  return hash64(reinterpret_cast<const u8*>(name.data()), name.size(), seed);
}

// take(name) for each name.
template <class Take>
void each_name(const Vocabulary& vocabulary, Take take) {
  const Vocabulary::Names names = vocabulary.names();
  const char* const bytes = reinterpret_cast<const char*>(names.bytes.data());
  for (size_t f = 0; f + 1 < names.offsets.size(); ++f)
    take(std::string_view(bytes + names.offsets[f], names.offsets[f + 1] - names.offsets[f]));
}

// The text's features, each name by the number that `number` gives it.
template <class Number>
Features features_of(const Text& text, const Recipe& recipe, Number number,
                     const Stems* stems = nullptr) {
  const Traced traced = trace(text, recipe, stems);
  std::vector<u64> numbers;
  each_name(traced.vocabulary, [&](std::string_view name) {
    CHECK(!name.empty());
    numbers.push_back(number(name));
  });
  Features out;
  for (size_t i = 0; i < traced.features.size(); ++i)
    out.push_back({numbers[traced.features[i]], traced.begin[i], traced.end[i]});
  return out;
}
Features features_of(const Text& text, const Recipe& recipe, const Stems* stems = nullptr) {
  return features_of(text, recipe, [](std::string_view name) { return hash_of(name, 0); }, stems);
}

void check_spans(const Features& features, Utf8 text) {
  const u64 n =
      u64(std::count_if(text.data, text.data + text.size, [](u8 b) { return (b & 0xC0) != 0x80; }));
  for (const Feature& f : features) CHECK(f.begin <= f.end && f.end <= n);
}

// The words of a block come before its n-grams, and where blocks end depends on the separators.
Features sorted(Features features) {
  std::sort(features.begin(), features.end());
  return features;
}

// Separators around a text move its features, and change none of them. One that is not ASCII sends
// an ASCII text the other way through the tokeniser.
void check_moved(const std::vector<u8>& bytes, const Recipe& recipe, u32 by, Features features) {
  std::vector<u8> moved(by, kPreset == Preset::kCustom ? kCustomSeparator : u8{' '});
  const std::vector<u8> wide = {0xE3, 0x80, 0x80};  // U+3000
  const bool widens = kPreset != Preset::kCustom;
  if (widens) moved.insert(moved.end(), wide.begin(), wide.end());
  moved.insert(moved.end(), bytes.begin(), bytes.end());
  if (widens) moved.insert(moved.end(), wide.begin(), wide.end());
  for (Feature& f : features) f.begin += by + widens, f.end += by + widens;
  CHECK(sorted(features_of(utf8_text(moved), recipe)) == sorted(features));
}

// A text's counts are those of its features.
void check_counts(const Text& text, const Recipe& recipe, const Features& features) {
  const u32 classes[] = {0};
  const Counted out = count({text}, classes, 1, {}, recipe, 1);
  const Cells cells = out.table.cells();
  std::vector<std::pair<u64, u64>> counts, expected;
  size_t f = 0;
  each_name(out.table.vocabulary, [&](std::string_view name) {
    if (cells.offsets[f] != cells.offsets[f + 1])
      counts.emplace_back(hash_of(name, 0), cells.counts[cells.offsets[f]]);
    ++f;
  });
  u64 total = 0;
  for (const Feature& feature : sorted(features)) {
    if (expected.empty() || expected.back().first != feature.name)
      expected.emplace_back(feature.name, 0);
    else if (recipe.binary)
      continue;
    expected.back().second += kUnit;
    total += kUnit;
  }
  std::sort(counts.begin(), counts.end());
  CHECK(counts == expected);
  CHECK(out.table.tokens[0] == total && out.table.docs[0] == kUnit);
}

// ---- stems ----

// Words that are their own stems count as without any. Tokens of a user's own may hold anything,
// and have no stems.
void check_stems(const Text& text, const Recipe& recipe, const Tokens& tokens, Features features) {
  if (kPreset == Preset::kCustom) return;
  Texts words;
  for (size_t i = 0; i < tokens.size(); i += 2)
    words.push_back({tokens[i].data(), tokens[i].size(), Text::kUtf8});
  const Stems stems(words, words);
  CHECK(sorted(features_of(text, recipe, &stems)) == sorted(std::move(features)));
}

// ---- Hangul ----

// N-grams of Hangul are some of those of the whole text, but for the spaces at their edges.
void check_hangul(const Text& text, Recipe recipe, const Features& features) {
  if (!recipe.only_hangul || recipe.buckets) return;
  recipe.char_lo = recipe.char_hi = 0;
  Features words = sorted(features_of(text, recipe)), all = sorted(features);
  CHECK(std::includes(all.begin(), all.end(), words.begin(), words.end()));
}

// ---- buckets ----

u64 bucket_hash(std::string_view name, const Recipe& recipe) {
  if (!recipe.word_hi) return hash_of(name, kCharSeed);
  if (recipe.char_hi && name[0] == '\t') return hash_of(name.substr(1), kCharSeed);
  if (recipe.word_hi == 1) return hash_of(name, kWordSeed);
  size_t at = name.find(' ');
  u64 hash = hash_of(name.substr(0, at), kWordSeed);
  while (at != name.npos) {
    const size_t next = name.find(' ', at + 1);
    hash = hash_gram(hash, hash_of(name.substr(at + 1, next - at - 1), kWordSeed));
    at = next;
  }
  return hash;
}

// Hashed features are the exact ones, each under the name of its bucket.
void check_buckets(const Text& text, Recipe recipe, const Features& hashed) {
  const u64 buckets = recipe.buckets;
  recipe.buckets = 0;
  const Features exact = features_of(text, recipe, [&](std::string_view name) {
    char bucket[10];
    std::snprintf(bucket, sizeof bucket, "#%08x", bucket_of(bucket_hash(name, recipe), buckets));
    return hash_of(bucket, 0);
  });
  CHECK(exact == hashed);
}

// ---- the extractor, text after text ----

struct Ids {
  static constexpr bool kTraces = false, kStreams = false;
  std::vector<std::pair<int, u32>> seen;
  template <Space kSpace>
  void prefetch(u32) {}
  template <Space kSpace>
  void add(u32 id) {
    seen.emplace_back(kSpace, id);
  }
};

void check_extractor(Utf8 text, const Recipe& recipe, size_t n_features) {
  Vocabulary vocabulary(recipe);
  Ids inserted, found;
  Extractor<true, Ids> insert(vocabulary, inserted);
  Extractor<false, Ids> find(vocabulary, found);
  insert.run(text);
  find.run(text);
  const auto first = inserted.seen;
  CHECK(first.size() == n_features);
  CHECK(found.seen == first);
  // A shorter text in between: nothing of it may stay.
  size_t half = text.size / 2;
  while (half && (text.data[half] & 0xC0) == 0x80) --half;
  const std::vector<u8> shorter(text.data, text.data + half);
  TextReader reader;
  insert.run(reader.read(utf8_text(shorter)));
  find.run(reader.read(utf8_text(shorter)));
  inserted.seen.clear();
  found.seen.clear();
  insert.run(text);
  find.run(text);
  CHECK(inserted.seen == first && found.seen == first);
}

// ---- stop words ----

void check_stops(const Text& text, const Recipe& recipe) {
  if (recipe.stop_words.empty() || recipe.negation || recipe.buckets) return;
  const std::string around = recipe.word_hi > 1 ? " " : "";
  const std::string stop = around + recipe.stop_words[0] + around;
  each_name(trace(text, recipe).vocabulary, [&](std::string_view feature) {
    if (feature[0] == '\t') return;
    const std::string name = around + std::string(feature) + around;
    CHECK(around.empty() ? name != stop : name.find(stop) == name.npos);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input given(data, size);
  Recipe recipe = fuzz::any_recipe(given, kPreset);
  const u32 stop = given.below(64), by = given.below(70);
  const std::vector<u8> bytes = fuzz::allowed(given.take(fuzz::longest(recipe)), recipe);
  const Text text = utf8_text(bytes);
  TextReader reader;
  const Utf8 utf8 = reader.read(text);

  const Tokens tokens = tokens_of(recipe, utf8);
  check_negation(recipe, utf8, tokens);
  if (stop < tokens.size()) recipe.stop_words = {tokens[stop]};

  const Features features = features_of(text, recipe);
  check_spans(features, utf8);
  check_stops(text, recipe);
  if (kPreset != Preset::kText) check_moved(bytes, recipe, by, features);
  // The same bytes as a Python string that is not known to be ASCII.
  if (utf8.ascii)
    CHECK(features_of({bytes.data(), bytes.size(), Text::kLatin1}, recipe) == features);
  check_stems(text, recipe, tokens, features);
  check_hangul(text, recipe, features);
  check_counts(text, recipe, features);
  check_extractor(utf8, recipe, features.size());
  if (recipe.buckets) check_buckets(text, recipe, features);
  return 0;
}
