// Text to tokens. A tokeniser writes the normalised text to a tape, and marks the bytes that belong
// to tokens in a bit mask beside it: a token is a run of set bits. One pass, no regular
// expressions.
#pragma once

#include <span>

#include "tokenize/recipe.h"
#include "tokenize/tape.h"
#include "unicode/code_point.h"

namespace nabi {

// Fills the tape with the words of a text, by the recipe's preset.
void tokenize(const Recipe& recipe, Utf8 text, Tape& tape);
// Fills the tape with the pieces between white space: what character n-grams are taken from.
void split(const Recipe& recipe, Utf8 text, Tape& tape);
// Fills the tape's bytes, without tokens, with the text whose runs of white space are one space
// each. A white space that stands alone stays what it is.
void squeeze(const Recipe& recipe, Utf8 text, Tape& tape);

// Whether `sklearn` drops a token: one code point is too short.
inline bool is_too_short(const Recipe& recipe, std::span<const u8> word) {
  const u8 b = word[0];
  return recipe.preset == Preset::kSklearn && word.size() == (b < 0x80   ? 1u
                                                              : b < 0xE0 ? 2u
                                                              : b < 0xF0 ? 3u
                                                                         : 4u);
}

// What the recipe makes of the code point at p, its lower case or its letter without accents: one
// code point, two for İ, none (kNothing first) for an accent on its own.
struct Letters {
  u32 first, second;
};
inline constexpr u32 kNothing = UINT32_MAX;
Letters letters_at(const Recipe& recipe, Utf8 text, const u8* p, u32 code);

// Whether negation ends here. On the tape such a code point, if it is not ASCII, is kClauseEnd.
bool ends_clause(u32 code);
inline constexpr u8 kClauseEnd = '.';
// The emoji (with its modifiers) that starts at p goes on the tape as a token; returns its end.
const u8* put_emoji(const Recipe& recipe, Utf8 text, const u8* p, Tape& tape);
// Whether a run of letters starts here that the recipe cuts into n-grams.
inline bool is_cut(const Recipe& recipe, u32 code) {
  return recipe.unspaced_hi && flags_of(code) & kUnspaced;
}
// The run of such letters (with their marks) that starts at p goes on the tape as n-grams, a token
// each; returns its end. A run that is shorter than the shortest n-gram is one token.
const u8* put_unspaced(const Recipe& recipe, Utf8 text, const u8* p, Tape& tape);
// How many bytes of the tape a byte of such letters takes at most.
size_t unspaced_width(const Recipe& recipe);
// The code point at p, variation selectors skipped; size 0 at the end. `next` is behind it.
struct Peek {
  u32 code;
  u32 size;
  const u8* next;
};
Peek peek(Utf8 text, const u8* p);

void tokenize_tweet(const Recipe& recipe, Utf8 text, Tape& tape);

}  // namespace nabi
