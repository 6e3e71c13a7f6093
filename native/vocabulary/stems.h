// Stems: a map from words to their stems, or to several pieces of a word.
#pragma once

#include <span>
#include <vector>

#include "tokenize/tokenizer.h"
#include "unicode/texts.h"
#include "vocabulary/word_table.h"

namespace nabi {

class Stems {
 public:
  // stems[i] replaces words[i]: one piece or several, with kCustomSeparator between them.
  Stems(const Texts& words, const Texts& stems);

  struct Found {
    std::span<const u8> bytes;  // empty: the word stays as it is
    u32 pieces;
  };
  Found find(const WordKey& word) const;
  NABI_HOT void prefetch(const WordKey& word) const { words_.prefetch(word); }

 private:
  struct Stem {
    size_t begin;
    u32 size, pieces;
  };
  WordTable words_;
  std::vector<u8> bytes_;
  std::vector<Stem> stems_;  // of each word
};

// Copies the words of a tape to another one with stems in their place: without stop words, and with
// marks on words after a negation. Stop words and negations are recognised before stemming. One per
// thread.
class Rewriter {
 public:
  void run(const Recipe& recipe, const WordTable& stops, const Stems& stems, const Tape& from,
           Tape& to);

 private:
  struct Word {
    Stems::Found found;
    Origin origin;
    bool marked;
  };
  void read(const Recipe& recipe, const WordTable& stops, const Stems& stems, const Tape& from);
  // Reads the words between the first n edges.
  void read_block(const Recipe& recipe, const WordTable& stops, const Stems& stems,
                  const Tape& from, size_t n);

  // Whether the word that begins here comes after a negation in its clause.
  bool is_negated(const Tape& from, u32 begin);

  u32 edges_[TokenCursor::kMost];
  WordKey keys_[TokenCursor::kMost / 2];
  size_t at_ = 0;  // how much of the tape has been searched for the end of a clause
  bool negating_ = false;
  std::vector<Word> words_;
  size_t room_ = 0;  // bytes that words_ take on the tape
};

}  // namespace nabi
