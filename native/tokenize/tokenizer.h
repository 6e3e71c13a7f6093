// Text to tokens. A tokeniser writes the normalised text to a tape, and marks the bytes that belong
// to tokens in a bit mask beside it: a token is a run of set bits. One pass, no regular
// expressions.
#pragma once

#include <vector>

#include "tokenize/ascii.h"
#include "tokenize/recipe.h"
#include "unicode/code_point.h"

namespace nabi {

struct Utf8 {
  const u8* data;
  size_t size;
  bool ascii;  // known to be ASCII; otherwise valid UTF-8 with kPadding readable bytes after it
};

// Where in the text a byte of the tape came from: the first and the last code point.
struct Origin {
  u32 first, last;
};

// What a tokeniser writes. One per thread, used again for each text.
class Tape {
 public:
  std::vector<u8> bytes;        // padded
  std::vector<u64> token;       // one bit a byte
  std::vector<u64> apostrophe;  // ' that may join two words
  std::vector<Origin> origin;   // of each byte; only if tracked
  size_t size = 0;
  bool joins = false;  // apostrophe bits count
  bool track_origin = false;

  void reserve(size_t n);
  // The same, with all bits cleared, ready for put().
  void clear(size_t n);
  void put(u32 code, bool in_token, size_t source);
  // Bytes of a token, in place of the code points from `source` to `last`.
  void put_bytes(const u8* p, size_t n, size_t source, size_t last);
  // A token of its own, in place of the code points from `source` to `last`.
  void put(const char* ascii, size_t source, size_t last);
  void put_apostrophe(size_t source);
  // The last byte stands for what is at `source` as well.
  void stretch(size_t source) {
    if (track_origin) origin[size - 1].last = u32(source);
  }
  void append(const Block& block, size_t n, size_t source);
  // Moves the bytes from `begin` to `end` down to the end of what was kept so far.
  void keep(size_t begin, size_t end);
  void separate(size_t source) { put(' ', false, source); }
  bool ends_in_token() const { return size && token[(size - 1) >> 6] >> ((size - 1) & 63) & 1; }

 private:
  void note(size_t n, size_t source, size_t last);
};

// Fills the tape with the words of a text, by the recipe's preset.
void tokenize(const Recipe& recipe, Utf8 text, Tape& tape);
// Fills the tape with the pieces between white space: what character n-grams are taken from.
void split(const Recipe& recipe, Utf8 text, Tape& tape);
// Fills the tape's bytes, without tokens, with the text whose runs of white space are one space
// each. A white space that stands alone stays what it is.
void squeeze(const Recipe& recipe, Utf8 text, Tape& tape);

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

// Reads the tape's tokens, a few at a time: pairs of begin, end.
class TokenCursor {
 public:
  explicit TokenCursor(const Tape& tape) : tape_(tape), words_((tape.size + 63) / 64) {}
  // Writes at most kMost numbers, always whole pairs; returns how many (0: the end).
  static constexpr size_t kMost = 512;
  size_t next(u32* edges);

 private:
  const Tape& tape_;
  size_t words_;
  size_t at_ = 0;
  u64 carry_ = 0;        // the last bit of the mask before, joined
  u64 carry_token_ = 0;  // the same before joining
  size_t kept_ = 0;      // an edge whose partner has not come yet
  u32 open_ = 0;
};

}  // namespace nabi
