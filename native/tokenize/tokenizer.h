// Tokenisers: from text to tokens on a tape, in one pass without regular expressions.
#pragma once

#include <span>

#include "tokenize/recipe.h"
#include "tokenize/tape.h"
#include "unicode/code_point.h"

namespace nabi {

// Fills the tape with the words of a text, by the recipe's preset.
void tokenize(const Recipe& recipe, Utf8 text, Tape& tape);
// Fills the tape with the pieces between white space, for character n-grams.
void split(const Recipe& recipe, Utf8 text, Tape& tape);
// Fills the tape's bytes, without tokens, with the text, each run of white space replaced by one
// space. A single white space stays as it is.
void squeeze(const Recipe& recipe, Utf8 text, Tape& tape);

// Whether `sklearn` drops a token: one code point is too short.
inline bool is_too_short(const Recipe& recipe, std::span<const u8> word) {
  const u8 b = word[0];
  return recipe.preset == Preset::kSklearn && word.size() == (b < 0x80   ? 1u
                                                              : b < 0xE0 ? 2u
                                                              : b < 0xF0 ? 3u
                                                                         : 4u);
}

// A code point as the recipe normalises it: lower case, without accents. One code point; two for İ;
// none (first is kNothing) for an accent on its own.
struct Letters {
  u32 first, second;
};
inline constexpr u32 kNothing = UINT32_MAX;
Letters letters_at(const Recipe& recipe, Utf8 text, const u8* p, u32 code);

// Whether a code point ends a clause, and with it a negation. On the tape kClauseEnd stands for
// those that are not ASCII.
bool ends_clause(u32 code);
inline constexpr u8 kClauseEnd = '.';
// Writes the emoji at p, with its modifiers, to the tape as a token; returns its end.
const u8* put_emoji(const Recipe& recipe, Utf8 text, const u8* p, Tape& tape);
// Whether the recipe cuts runs of this letter into n-grams.
inline bool is_cut(const Recipe& recipe, u32 code) {
  return recipe.unspaced_hi && flags_of(code) & kUnspaced;
}
// Writes the run of such letters at p, with their marks, to the tape as n-grams, a token each;
// returns its end. A run shorter than the shortest n-gram is one token.
const u8* put_unspaced(const Recipe& recipe, Utf8 text, const u8* p, Tape& tape);
// Upper bound of the bytes on the tape for each byte of such letters.
size_t unspaced_width(const Recipe& recipe);
// The code point at p, variation selectors skipped; `next` is behind it. Size 0: the end of the
// text.
struct Peek {
  u32 code;
  u32 size;
  const u8* next;
};
Peek peek(Utf8 text, const u8* p);

void tokenize_tweet(const Recipe& recipe, Utf8 text, Tape& tape);

}  // namespace nabi
