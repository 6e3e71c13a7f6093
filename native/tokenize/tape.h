// Tape: normalised text, and a bit mask beside it that marks the bytes of tokens. A token is a run
// of set bits.
#pragma once

#include <vector>

#include "tokenize/ascii.h"
#include "unicode/utf8.h"

namespace nabi {

// Origin of a byte of the tape: the first and the last code point of the text that it stands for.
struct Origin {
  u32 first, last;
};

// One per thread, used again for each text.
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
  // Reserves room, and clears all bits, as put() needs them.
  void clear(size_t n);
  void put(u32 code, bool in_token, size_t source);
  // Writes bytes of a token, in place of the code points from `source` to `last`.
  void put_bytes(const u8* p, size_t n, size_t source, size_t last);
  // Writes a whole token, in place of the code points from `source` to `last`.
  void put(const char* ascii, size_t source, size_t last);
  void put_apostrophe(size_t source);
  // Extends the origin of the last byte to the code point at `source`.
  void stretch(size_t source) {
    if (track_origin) origin[size - 1].last = u32(source);
  }
  void append(const Block& block, size_t n, size_t source);
  // Moves the bytes from `begin` to `end` down, behind the bytes kept so far.
  void keep(size_t begin, size_t end);
  void separate(size_t source) { put(' ', false, source); }
  bool ends_in_token() const { return size && token[(size - 1) >> 6] >> ((size - 1) & 63) & 1; }

 private:
  void note(size_t n, size_t source, size_t last);
};

// Reads the tape's tokens, a few at a time: pairs of begin, end.
class TokenCursor {
 public:
  explicit TokenCursor(const Tape& tape) : tape_(tape), words_((tape.size + 63) / 64) {}
  // Writes at most kMost numbers, always whole pairs; returns how many (0: the end).
  static constexpr size_t kMost = 512;
  size_t next(u32* edges);

 private:
  size_t take(u32* edges);
  size_t take_bmi(u32* edges);
  const Tape& tape_;
  size_t words_;
  size_t at_ = 0;
  u64 carry_ = 0;        // the last bit of the mask before, joined
  u64 carry_token_ = 0;  // that bit before joining
  size_t kept_ = 0;      // an edge whose partner has not come yet
  u32 open_ = 0;
};

}  // namespace nabi
