// The presets `words` and `sklearn`, custom tokens, emoji, and pieces for character n-grams.
#include "tokenize/tokenizer.h"

#include <algorithm>

namespace nabi {

// ---- code points ----

namespace {

Letters lower_at(Utf8 text, const u8* p, u32 code) {
  if (code == kSigma)
    return {is_final_sigma(text.data, p, text.data + text.size) ? kFinalSigma : kSmallSigma, 0};
  if (code == kDottedI) return {'i', 0x307};
  return {lower_of(code), 0};
}

}  // namespace

Letters letters_at(const Recipe& recipe, Utf8 text, const u8* p, u32 code) {
  if (code < 0x80) return {recipe.lowercase && code - 'A' < 26u ? code | 0x20 : code, 0};
  if (recipe.strip_accents && is_accent(code)) return {kNothing, 0};
  const Letters low = recipe.lowercase ? lower_at(text, p, code) : Letters{code, 0};
  return recipe.strip_accents ? Letters{unaccented(low.first), 0} : low;
}

bool ends_clause(u32 code) {
  switch (code) {
    case '.':
    case ',':
    case ';':
    case ':':
    case '!':
    case '?':
    case '(':
    case ')':
    case '[':
    case ']':
    case '{':
    case '}':
    case 0x2014:
    case 0x2013:
    case 0x2026:  // — – …
    case 0x3002:
    case 0x3001:
    case 0xFF0C:
    case 0xFF1B:
    case 0xFF1A:  // 。 、 ， ； ：
    case 0xFF01:
    case 0xFF1F:  // ！ ？
    case 0x060C:
    case 0x061B:
    case 0x061F:
    case 0x0964:  // ، ؛ ؟ ।
      return true;
    default:
      return false;
  }
}

Peek peek(Utf8 text, const u8* p) {
  const u8* const end = text.data + text.size;
  while (p < end) {
    const Decoded d = decode(p);
    p += d.size;
    if (!is_text_or_emoji_variation(d.code)) return {d.code, d.size, p};
  }
  return {0, 0, p};
}

namespace {

u32 lowered(const Recipe& recipe, u32 code) { return recipe.lowercase ? lower_of(code) : code; }

bool is_emoji(const Recipe& recipe, const Peek& at) {
  return at.size && flags_of(lowered(recipe, at.code)) & kEmoji;
}

}  // namespace

const u8* put_emoji(const Recipe& recipe, Utf8 text, const u8* p, Tape& tape) {
  const auto source = [&](const Peek& at) { return size_t(at.next - at.size - text.data); };
  const auto put = [&](const Peek& at) {
    tape.put(lowered(recipe, at.code), true, source(at));
    return at;
  };
  // A symbol, a flag's second letter, skin tones; returns the last code point of them.
  const auto put_base = [&](const Peek& base) {
    Peek at = put(base), next = peek(text, at.next);
    if (is_regional(at.code) && next.size && is_regional(next.code)) {
      at = put(next);
      next = peek(text, at.next);
    }
    for (; next.size && is_skin_tone(next.code); next = peek(text, at.next)) at = put(next);
    return at;
  };
  Peek at = peek(text, p);
  tape.separate(source(at));
  at = put_base(at);
  for (;;) {
    const Peek joiner = peek(text, at.next);
    if (!joiner.size || joiner.code != kZeroWidthJoiner) break;
    const Peek base = peek(text, joiner.next);
    if (!is_emoji(recipe, base)) break;
    put(joiner);
    at = put_base(base);
  }
  tape.separate(source(at));
  return at.next;
}

// ---- presets ----

namespace {

// An accent that does not count: a word goes on behind it.
void pass_accent(size_t source, Tape& tape) {
  tape.ends_in_token() ? tape.stretch(source) : tape.separate(source);
}

// One code point that is no emoji, as `words` sees it.
void put_word_char(u32 code, size_t source, Tape& tape) {
  const u8 flags = flags_of(code);
  if (flags & kWord) return tape.put(code, true, source);
  if (code == '\'' || code == 0x2019) return tape.put_apostrophe(source);
  if (flags & kMark && tape.ends_in_token()) return tape.put(code, true, source);
  tape.put(ends_clause(code) ? kClauseEnd : ' ', false, source);
}

// ASCII runs by vectors, the rest one code point at a time. `each` puts one code point at p on the
// tape and returns the end of what it took.
template <class Each>
void walk(const Recipe& recipe, Utf8 text, Mask mask, Tape& tape, Each each) {
  const u8* const end = text.data + text.size;
  for (const u8* p = text.data; p < end;) {
    if (end - p >= 8 && all_ascii8(p)) {
      const Block block = scan_block(p, &tape.bytes[tape.size], recipe.lowercase, mask);
      size_t n = block.high ? size_t(__builtin_ctzll(block.high)) : 64;
      if (n > size_t(end - p)) n = size_t(end - p);
      tape.append(block, n, size_t(p - text.data));
      p += n;
    } else {
      p = each(p);
    }
  }
}

// With U+FE0E and U+FE0F out of the way, each code point in lower case.
void tokenize_words(const Recipe& recipe, Utf8 text, Tape& tape) {
  const auto each = [&](const u8* p) {
    const Decoded d = decode(p);
    const size_t source = size_t(p - text.data);
    if (is_text_or_emoji_variation(d.code)) return p + d.size;
    const Letters here = letters_at(recipe, text, p, d.code);
    if (here.first == kNothing) {
      pass_accent(source, tape);
    } else {
      if (flags_of(here.first) & kEmoji) return put_emoji(recipe, text, p, tape);
      if (is_cut(recipe, here.first)) return put_unspaced(recipe, text, p, tape);
      put_word_char(here.first, source, tape);
      if (here.second) put_word_char(here.second, source, tape);
    }
    return p + d.size;
  };
  walk(recipe, text, Mask::kWords, tape, each);
}

void tokenize_sklearn(const Recipe& recipe, Utf8 text, Tape& tape) {
  const auto each = [&](const u8* p) {
    const Decoded d = decode(p);
    const size_t source = size_t(p - text.data);
    const Letters here = letters_at(recipe, text, p, d.code);
    if (here.first == kNothing)
      pass_accent(source, tape);
    else
      flags_of(here.first) & kWord ? tape.put(here.first, true, source) : tape.separate(source);
    if (here.second) tape.separate(source);  // U+0307 is no word character
    return p + d.size;
  };
  walk(recipe, text, Mask::kWords, tape, each);
}

void tokenize_custom(Utf8 text, Tape& tape) {
  for (size_t i = 0; i < text.size; ++i) {
    const size_t at = tape.size++;
    tape.bytes[at] = text.data[i];
    if (tape.track_origin) tape.origin[at] = {u32(i), u32(i)};
    if (text.data[i] != kCustomSeparator) tape.token[at >> 6] |= u64{1} << (at & 63);
  }
}

void scan(const Recipe& recipe, Utf8 text, Mask mask, Tape& tape) {
  tape.reserve(text.size);
  scan_ascii(text.data, text.size, tape.bytes.data(), tape.token.data(), tape.apostrophe.data(),
             recipe.lowercase, mask);
  tape.size = text.size;
  tape.token[(text.size + 63) / 64] = 0;  // so that a token at the very end ends
  tape.apostrophe[(text.size + 63) / 64] = 0;
  if (tape.track_origin)
    for (size_t i = 0; i < text.size; ++i) tape.origin[i] = {u32(i), u32(i)};
}

}  // namespace

void tokenize(const Recipe& recipe, Utf8 text, Tape& tape) {
  tape.joins = recipe.preset == Preset::kWords;
  const bool plain = recipe.preset == Preset::kSklearn || recipe.preset == Preset::kWords;
  if (text.ascii && plain) return scan(recipe, text, Mask::kWords, tape);
  // Lower case makes at most 3 bytes of 2, an emoji of 2 bytes takes 2 more for its separators, and
  // a handle of 2 becomes 8.
  const size_t widest = recipe.preset == Preset::kTweets ? 4 : 2;
  tape.clear(std::max(widest, unspaced_width(recipe)) * text.size);
  switch (recipe.preset) {
    case Preset::kWords:
      return tokenize_words(recipe, text, tape);
    case Preset::kSklearn:
      return tokenize_sklearn(recipe, text, tape);
    case Preset::kTweets:
      return tokenize_tweet(recipe, text, tape);
    case Preset::kCustom:
      return tokenize_custom(text, tape);
    case Preset::kChars:
    case Preset::kText:
      return;
  }
}

void split(const Recipe& recipe, Utf8 text, Tape& tape) {
  tape.joins = false;
  if (text.ascii) return scan(recipe, text, Mask::kNonSpace, tape);
  tape.clear(2 * text.size);
  const auto each = [&](const u8* p) {
    const Decoded d = decode(p);
    const size_t source = size_t(p - text.data);
    const Letters here = letters_at(recipe, text, p, d.code);
    if (here.first != kNothing)
      tape.put(here.first, !(flags_of(here.first) & kSpace), source);
    else if (tape.ends_in_token())
      tape.stretch(source);
    if (here.second) tape.put(here.second, true, source);
    return p + d.size;
  };
  walk(recipe, text, Mask::kNonSpace, tape, each);
}

void squeeze(const Recipe& recipe, Utf8 text, Tape& tape) {
  split(recipe, text, tape);
  const size_t whole = tape.size;
  TokenCursor cursor(tape);
  u32 edges[TokenCursor::kMost];
  size_t read = 0;
  tape.size = 0;
  const auto keep_space = [&](size_t end) {
    if (read == end) return;
    const bool alone = end - read == decode(&tape.bytes[read]).size;
    if (!alone) tape.bytes[read] = ' ';
    tape.keep(read, alone ? end : read + 1);
  };
  while (const size_t n = cursor.next(edges)) {
    for (size_t i = 0; i < n; i += 2) {
      keep_space(edges[i]);
      tape.keep(edges[i], edges[i + 1]);
      read = edges[i + 1];
    }
  }
  keep_space(whole);
}

}  // namespace nabi
