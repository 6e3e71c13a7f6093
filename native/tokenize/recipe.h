// Recipe: the options of tokens and features (nabi.Features in Python).
#pragma once

#include <string>
#include <vector>

#include "platform/types.h"

namespace nabi {

// kChars: characters of each piece between white space; kText: of the text as a whole.
enum class Preset : u8 { kWords, kSklearn, kTweets, kChars, kCustom, kText };

inline constexpr u32 kMostOrder = 16;    // the longest word n-gram
inline constexpr u32 kMostUnspaced = 4;  // the longest n-gram of letters in place of a word

struct Recipe {
  Preset preset = Preset::kWords;
  u32 word_lo = 1, word_hi = 1;  // word n-grams; 0, 0 for none
  u32 char_lo = 0, char_hi = 0;  // character n-grams; 0, 0 for none
  bool lowercase = true;
  bool binary = false;
  bool negation = false;
  bool strip_accents = false;
  // `words` and `tweets`: n-grams of letters in place of the words of scripts that have no spaces;
  // 0, 0 for none.
  u32 unspaced_lo = 0, unspaced_hi = 0;
  bool only_hangul = false;  // character n-grams of runs of Hangul, and of nothing else
  u64 buckets = 0;           // 0: exact strings
  std::vector<std::string> stop_words;
};

inline constexpr u8 kCustomSeparator = 0x1F;  // between the tokens of a user's own tokeniser

}  // namespace nabi
