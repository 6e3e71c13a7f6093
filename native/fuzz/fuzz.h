// Parts that all fuzz targets share: CHECK, and the split of an input into choices and text.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tokenize/recipe.h"
#include "unicode/texts.h"
#include "vocabulary/hash.h"

// Aborts: the driver, or libFuzzer, then shows the input.
#define CHECK(holds)                                                                  \
  do {                                                                                \
    if (!(holds)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #holds); \
      std::abort();                                                                   \
    }                                                                                 \
  } while (0)

namespace nabi::fuzz {

// An input: some bytes for the target's choices, then the text. The two stay apart, so that a text
// may be plain ASCII whatever is chosen.
class Input {
 public:
  static constexpr size_t kChoices = 16;

  Input(const uint8_t* data, size_t size) : choice_(data), p_(data), end_(data + size) {
    p_ += std::min(size, kChoices);
    choices_end_ = p_;
    more_ = hash64(data, size_t(p_ - data), 0);
  }

  // After the input's own choices, what follows from them.
  u8 byte() {
    if (choice_ != choices_end_) return *choice_++;
    more_ = fold(more_ ^ kHash1, kHash2);
    return u8(more_ >> 32);
  }
  bool flag() { return byte() & 1; }
  u32 below(u32 n) { return n ? (u32{byte()} << 8 | byte()) % n : 0; }
  u64 number() {
    u64 n = 0;
    for (int i = 0; i < 8; ++i) n = n << 8 | byte();
    return n;
  }

  // Copies of exactly their size: AddressSanitizer sees the first byte read too far.
  std::vector<u8> take(size_t n) {
    n = std::min(n, size_t(end_ - p_));
    std::vector<u8> out(p_, p_ + n);
    p_ += n;
    return out;
  }
  std::vector<u8> rest() { return take(size_t(end_ - p_)); }

 private:
  const uint8_t *choice_, *choices_end_, *p_, *end_;
  u64 more_;
};

// Any recipe that nabi.Features can make of a preset.
inline Recipe any_recipe(Input& in, Preset preset) {
  static constexpr u32 kWords[][2] = {{1, 1}, {1, 1}, {1, 2}, {2, 2},
                                      {1, 3}, {2, 3}, {3, 3}, {1, 16}};
  static constexpr u32 kChars[][2] = {{1, 1}, {2, 4}, {1, 3}, {3, 3}, {2, 2}, {5, 64}};
  static constexpr u32 kUnspaced[][2] = {{0, 0}, {1, 2}, {2, 2}, {3, 4}};
  static constexpr u64 kBuckets[] = {0, 0, 0, 1, 7, 64};
  const u8 bits = in.byte();
  Recipe recipe;
  recipe.preset = preset;
  recipe.lowercase = bits & 1;
  recipe.binary = bits & 2;
  recipe.negation = bits & 4 && (preset == Preset::kWords || preset == Preset::kTweets);
  recipe.strip_accents = bits & 32 && preset != Preset::kCustom;
  if (bits & 192 && (preset == Preset::kWords || preset == Preset::kTweets))
    recipe.unspaced_lo = kUnspaced[bits >> 6][0], recipe.unspaced_hi = kUnspaced[bits >> 6][1];
  const auto& words = kWords[in.below(8)];
  const auto& chars = kChars[in.below(6)];
  const bool only_chars = preset == Preset::kChars || preset == Preset::kText;
  if (only_chars || (preset != Preset::kCustom && (bits & 24) == 24))
    recipe.char_lo = chars[0], recipe.char_hi = chars[1];
  recipe.only_hangul = recipe.char_hi && !only_chars && in.flag();
  recipe.word_lo = only_chars ? 0 : words[0];
  recipe.word_hi = only_chars ? 0 : words[1];
  recipe.buckets = kBuckets[in.below(6)];
  return recipe;
}
inline Recipe any_recipe(Input& in) { return any_recipe(in, Preset(in.below(6))); }

// Dozens of n-grams for each character or word take their time: such texts stay short.
inline size_t longest(const Recipe& recipe) {
  return recipe.word_hi > 3 || recipe.char_hi > 4 ? 80 : recipe.char_hi ? 1024 : 4096;
}

// The tokens of a user's own tokeniser hold no space where words are joined by one: nabi sees to
// it.
inline std::vector<u8> allowed(std::vector<u8> text, const Recipe& recipe) {
  if (recipe.preset == Preset::kCustom && recipe.word_hi > 1)
    for (u8& b : text) b = b == ' ' ? kCustomSeparator : b;
  return text;
}

// Texts that come from outside: the input cut at a byte that no text has. Tables grow with their
// texts, so these stay short; long ones are for features.cc.
struct AnyTexts {
  std::vector<std::vector<u8>> bytes;
  Texts texts;

  AnyTexts(const AnyTexts&) = delete;
  AnyTexts(Input& in, const Recipe& recipe) {
    constexpr u8 kCut = 0xFE, kNull = 0xFF;
    const std::vector<u8> all = in.take(std::min<size_t>(256, longest(recipe)));
    for (size_t begin = 0; begin <= all.size();) {
      size_t end = begin;
      while (end < all.size() && all[end] != kCut) ++end;
      bytes.push_back(
          allowed({all.begin() + ptrdiff_t(begin), all.begin() + ptrdiff_t(end)}, recipe));
      begin = end + 1;
    }
    for (const std::vector<u8>& b : bytes) {
      if (b.size() == 1 && b[0] == kNull)
        texts.push_back({});
      else
        texts.push_back({b.data(), b.size(), Text::kUtf8});
    }
  }

  // Ends a piece of the work, so that several threads get some; the larger makes the batch a large
  // one. A missing text that says to be long does that at no cost: real texts would leave no time
  // to fuzz.
  static Text large(bool larger) {
    return {nullptr, size_t(larger ? 1024 : 128) << 10, Text::kMissing};
  }
};

}  // namespace nabi::fuzz
