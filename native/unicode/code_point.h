// Properties of a code point: class bits, lower case, letter without accents.
#pragma once

#include <cstdint>

#include "unicode/utf8.h"
#include "unicode_tables.inc"

namespace nabi {

enum Flag : u8 {
  kWord = 1,        // str.isalnum() or "_": what \w matches
  kMark = 2,        // combining mark or joiner: stays in the word it follows
  kEmoji = 4,       // a symbol that is a token of its own
  kSpace = 8,       // str.isspace()
  kCased = 16,      // for the final-sigma rule
  kIgnorable = 32,  // the final-sigma rule looks through it
  kLowered = 64,    // has another lower case
  kUnspaced = 128,  // a letter of a script that puts no spaces between words
};

inline constexpr u32 kDottedI = 0x130;  // İ: the one code point whose lower case is two
inline constexpr u32 kSigma = 0x3A3, kSmallSigma = 0x3C3, kFinalSigma = 0x3C2;
inline constexpr u32 kZeroWidthJoiner = 0x200D;

inline u8 flags_of(u32 c) { return kFlagBlocks[kFlagIndex[c >> 7] * 128 + (c & 127)]; }
inline u32 lower_of(u32 c) { return c + u32(kLowerBlocks[kLowerIndex[c >> 7] * 128 + (c & 127)]); }

// The letter without its accents.
inline u32 unaccented(u32 c) {
  return c + u32(kUnaccentedBlocks[kUnaccentedIndex[c >> 7] * 128 + (c & 127)]);
}
inline bool is_accent(u32 c) { return c - 0x300u < 0x70u; }  // that stands behind its letter

// A letter of Hangul: a syllable, or a part of one (jamo) in any block.
inline bool is_hangul(u32 c) {
  const bool in_blocks = c - 0xAC00u < 11172u || c - 0x1100u < 256u || c - 0x3131u < 94u ||
                         c - 0xA960u < 29u || c - 0xD7B0u < 76u || c - 0xFFA0u < 61u;
  return in_blocks && flags_of(c) & kWord;
}

inline bool is_text_or_emoji_variation(u32 c) { return (c & ~1u) == 0xFE0E; }
inline bool is_skin_tone(u32 c) { return c - 0x1F3FBu < 5u; }
inline bool is_regional(u32 c) { return c - 0x1F1E6u < 26u; }

// Whether the capital sigma at p (two bytes, inside [begin, end)) ends its word.
bool is_final_sigma(const u8* begin, const u8* p, const u8* end);

}  // namespace nabi
