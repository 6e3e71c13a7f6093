// Character n-grams in place of words, for scripts without spaces between words.
#include <algorithm>

#include "tokenize/tokenizer.h"

namespace nabi {
namespace {

// The end of the letter at p and of the marks that follow it.
const u8* unit_end(Utf8 text, const u8* p) {
  const u8* end = peek(text, p).next;
  for (Peek at = peek(text, end); at.size && flags_of(at.code) & kMark; at = peek(text, end))
    end = at.next;
  return end;
}

// The code points from p to `end` as one token.
void put_letters(const Recipe& recipe, Utf8 text, const u8* p, const u8* end, Tape& tape) {
  for (Peek at = peek(text, p); at.size && at.next <= end; at = peek(text, at.next)) {
    const size_t source = size_t(at.next - at.size - text.data);
    const Letters here = letters_at(recipe, text, at.next - at.size, at.code);
    here.first == kNothing ? tape.stretch(source) : tape.put(here.first, true, source);
  }
}

}  // namespace

const u8* put_unspaced(const Recipe& recipe, Utf8 text, const u8* p, Tape& tape) {
  const u8* edges[kMostUnspaced + 1] = {p};  // of the next letters
  u32 n = 0;
  const auto read = [&] {
    for (; n < recipe.unspaced_hi; ++n) {
      const Peek at = peek(text, edges[n]);
      if (!at.size || !is_cut(recipe, at.code)) return;
      edges[n + 1] = unit_end(text, edges[n]);
    }
  };
  const u8* end = p;
  tape.separate(size_t(p - text.data));
  read();
  for (const u32 least = std::min(n, recipe.unspaced_lo); n >= least; read()) {
    for (u32 length = least; length <= n; ++length) {
      put_letters(recipe, text, edges[0], edges[length], tape);
      tape.separate(size_t(edges[0] - text.data));
    }
    end = edges[n];
    std::copy(edges + 1, edges + n + 1, edges);
    --n;
  }
  return end;
}

// Each letter, of 3 bytes or more, is in the n-grams of every length, which end in a separator, and
// one comes before them all.
size_t unspaced_width(const Recipe& recipe) {
  if (!recipe.unspaced_hi) return 0;
  size_t width = (recipe.unspaced_hi - recipe.unspaced_lo + 2 + 2) / 3;
  for (u32 n = recipe.unspaced_lo; n <= recipe.unspaced_hi; ++n) width += n;
  return width;
}

}  // namespace nabi
