// The preset `tweets`: URLs, handles, hashtags, emoticons, elongated words, retweets.
#include <string_view>

#include "tokenize/tokenizer.h"

namespace nabi {
namespace {

constexpr u32 kLongestRun = 3;  // "sooooo" -> "sooo"

bool one_of(u32 code, std::string_view chars) {
  return code < 128 && code && chars.find(char(code)) != std::string_view::npos;
}

bool is_word(const Peek& at) { return at.size && flags_of(at.code) & kWord; }
bool is_mark(const Peek& at) { return at.size && flags_of(at.code) & kMark; }
bool is_handle_char(const Peek& at) { return at.size && at.code < 128 && is_word(at); }
bool is_apostrophe(u32 code) { return code == '\'' || code == 0x2019; }
bool in_url(const Peek& at) {
  return at.size && !(flags_of(at.code) & kSpace) && !one_of(at.code, "<>\"");
}

class Tweet {
 public:
  Tweet(const Recipe& recipe, Utf8 text, Tape& tape)
      : recipe_(recipe),
        text_(text),
        tape_(tape),
        spaced_(recipe.unspaced_hi ? kWord | kUnspaced : kWord) {}

  void tokenize() {
    const u8* p = text_.data;
    bool after_word = false;
    for (Peek at = peek(text_, p); at.size; at = peek(text_, p)) {
      const u8* const end = token(at, after_word);
      p = end ? end : at.next;
      after_word = end ? ends_in_word_ : false;
      if (!end && ends_clause(at.code)) tape_.put(kClauseEnd, false, source(at));
    }
  }

 private:
  size_t source(const Peek& at) const { return size_t(at.next - at.size - text_.data); }
  Peek after(const Peek& at) const { return peek(text_, at.next); }

  // Puts the token that starts at `at` on the tape and returns its end; null where none starts.
  const u8* token(const Peek& at, bool after_word) {
    ends_in_word_ = false;
    if (!after_word) {
      if (const u8* end = url(at)) return end;
      if (at.code == '@' && is_handle_char(after(at))) return handle(at);
      if (at.code == '#' && is_word(after(at))) return tag(at);
      if (const u8* end = emoticon(at)) return end;
    }
    if (flags_of(recipe_.lowercase ? lower_of(at.code) : at.code) & kEmoji)
      return put_emoji(recipe_, text_, at.next - at.size, tape_);
    if (is_cut(recipe_, at.code)) return put_unspaced(recipe_, text_, at.next - at.size, tape_);
    if (is_word(at)) {
      tape_.separate(source(at));
      return word(at, spaced_);
    }
    return nullptr;
  }

  // Matches ASCII without regard to case; returns what comes behind it.
  bool starts_with(Peek at, std::string_view lower, Peek* behind) const {
    for (const char c : lower) {
      if (!at.size || at.code > 127 || (at.code | (c >= 'a' ? 0x20u : 0u)) != u32(u8(c)))
        return false;
      at = after(at);
    }
    *behind = at;
    return true;
  }

  const u8* url(const Peek& at) {
    Peek rest;
    if (!starts_with(at, "http://", &rest) && !starts_with(at, "https://", &rest) &&
        !starts_with(at, "www.", &rest))
      return nullptr;
    if (!in_url(rest)) return nullptr;
    Peek last = rest;
    for (; in_url(rest); rest = after(rest)) last = rest;
    ends_in_word_ = in_word(last, spaced_);
    tape_.put("<url>", source(at), source(last));
    return last.next;
  }

  const u8* handle(const Peek& at) {
    Peek last = after(at);
    for (Peek next = after(last); is_handle_char(next); next = after(next)) last = next;
    ends_in_word_ = true;
    tape_.put("<user>", source(at), source(last));
    return last.next;
  }

  const u8* tag(const Peek& at) {
    tape_.separate(source(at));
    tape_.put('#', true, source(at));
    return word(after(at), kWord);
  }

  // Whether a word goes on here. Of the flags in the mask it has kWord alone: letters that are cut
  // end a word, and are part of a tag.
  static bool in_word(const Peek& at, u8 mask) {
    return at.size && (flags_of(at.code) & mask) == kWord;
  }

  // A word, its long letters shortened.
  const u8* word(const Peek& start, u8 mask) {
    u32 last = 0, run = 0;
    const auto put = [&](u32 code, const Peek& at) {
      run = code == last ? run + 1 : 1;
      last = code;
      run <= kLongestRun ? tape_.put(code, true, source(at)) : tape_.stretch(source(at));
    };
    if (is_retweet(start)) {
      tape_.put("<rt>", source(start), source(after(start)));
      ends_in_word_ = true;
      return after(start).next;
    }
    Peek at = start;
    const u8* end = at.next;
    while (at.size) {
      const u8 flags = flags_of(at.code);
      if ((flags & mask) == kWord || flags & kMark) {
        const Letters here = letters_at(recipe_, text_, at.next - at.size, at.code);
        here.first == kNothing ? tape_.stretch(source(at)) : put(here.first, at);
        if (here.second) put(here.second, at);
        ends_in_word_ = (flags & spaced_) == kWord;
      } else if (is_apostrophe(at.code) && in_word(after(at), mask)) {
        put('\'', at);
      } else {
        break;
      }
      end = at.next;
      at = after(at);
    }
    tape_.separate(size_t(end - text_.data) - 1);
    return end;
  }

  bool is_retweet(const Peek& start) const {
    // Right after a "#" it is a tag.
    if (start.code != 'R' || tape_.ends_in_token()) return false;
    const Peek t = after(start);
    if (!t.size || t.code != 'T') return false;
    const Peek next = after(t);
    const bool joined = next.size && is_apostrophe(next.code) && in_word(after(next), spaced_);
    return !in_word(next, spaced_) && !is_mark(next) && !joined;
  }

  const u8* emoticon(const Peek& at) {
    Peek last;
    if (!heart(at, &last) && !forward(at, &last) && !reverse(at, &last)) return nullptr;
    tape_.separate(source(at));
    for (Peek c = at;; c = after(c)) {
      tape_.put(c.code, true, source(c));
      if (c.next == last.next) break;
    }
    tape_.separate(source(last));
    ends_in_word_ = in_word(last, spaced_);
    return last.next;
  }

  bool heart(const Peek& at, Peek* last) const {
    if (at.code != '<') return false;
    Peek next = after(at);
    if (next.size && next.code == '/') next = after(next);
    *last = next;
    return next.size && next.code == '3';
  }

  bool forward(Peek at, Peek* last) const {
    if (at.code == '>') at = after(at);
    if (!at.size || !one_of(at.code, ":;=8xX")) return false;
    const Peek next = after(at);
    return (one_of(next.code, "-o'*^") && mouth(after(next), last)) || mouth(next, last);
  }

  bool mouth(const Peek& at, Peek* last) const {
    if (!at.size || !one_of(at.code, ")(][}{dDpPoO/\\|@3*")) return false;
    const Peek next = after(at);
    if (is_word(at) && is_word(next)) return false;
    if (at.code == '/' && next.size && next.code == '/') return false;
    *last = at;
    return true;
  }

  bool reverse(const Peek& at, Peek* last) const {
    if (!one_of(at.code, ")(][")) return false;
    const Peek next = after(at);
    const auto eyes = [](const Peek& e) { return e.size && one_of(e.code, ":;="); };
    *last = one_of(next.code, "-o'*^") && eyes(after(next)) ? after(next) : next;
    return eyes(*last);
  }

  const Recipe& recipe_;
  const Utf8 text_;
  Tape& tape_;
  const u8 spaced_;  // the flags that tell a word of letters that are not cut
  bool ends_in_word_ = false;
};

}  // namespace

void tokenize_tweet(const Recipe& recipe, Utf8 text, Tape& tape) {
  Tweet(recipe, text, tape).tokenize();
}

}  // namespace nabi
