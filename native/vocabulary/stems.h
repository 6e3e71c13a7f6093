// What words count as where that is not themselves: their stems, or the pieces of each.
#pragma once

#include <span>
#include <vector>

#include "tokenize/tokenizer.h"
#include "unicode/texts.h"
#include "vocabulary/word_table.h"

namespace nabi {

class Stems {
 public:
  // stems[i] is what words[i] counts as: one piece or several, kCustomSeparator between them.
  Stems(const Texts& words, const Texts& stems);

  struct Found {
    std::span<const u8> bytes;  // none: the word counts as it is
    u32 pieces;
  };
  Found find(const WordKey& word) const;
  void prefetch(const WordKey& word) const { words_.prefetch(word); }

 private:
  struct Stem {
    size_t begin;
    u32 size, pieces;
  };
  WordTable words_;
  std::vector<u8> bytes_;
  std::vector<Stem> stems_;  // of each word
};

// Writes the words of a tape on another one as they count: stop words left out, those after a
// negation marked, each by its pieces. What a stop word or a negation is, the word as written says.
// One per thread.
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
  // The words between these edges, the first n numbers.
  void read_block(const Recipe& recipe, const WordTable& stops, const Stems& stems,
                  const Tape& from, size_t n);

  // Whether the word that begins here comes after a negation in its clause.
  bool is_negated(const Tape& from, u32 begin);

  u32 edges_[TokenCursor::kMost];
  WordKey keys_[TokenCursor::kMost / 2];
  size_t at_ = 0;  // how much of the tape has been searched for the end of a clause
  bool negating_ = false;
  std::vector<Word> words_;
  size_t room_ = 0;  // what they take on the tape
};

}  // namespace nabi
