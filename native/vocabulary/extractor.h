// Extractor: from tokens to feature ids, with stop words, negation, word n-grams, character n-grams
// and hash buckets. Tokens are taken in blocks: all keys of a block are hashed and their slots
// prefetched before the first is looked up, so that the cache misses of a block overlap.
#pragma once

#include <algorithm>

#include "tokenize/hangul.h"
#include "tokenize/negation.h"
#include "tokenize/tokenizer.h"
#include "vocabulary/stems.h"
#include "vocabulary/vocabulary.h"

namespace nabi {

// Hands the features of one text after another to a sink:
//   sink.template add<space>(id) for each occurrence, kNone left out
//   where it has it, sink.template add_all<space>(ids, n) for several at once, kNone among them
//   sink.template prefetch<space>(id) some time before it; id may be kNone
//   with Sink::kTraces, sink.at(begin, end) before it: the tape's bytes it comes from
//   with Sink::kStreams, sink.stream(ids, n): the words in order, in place of their n-grams
//   where it has sink.words(keys, n) and sink.chars(keys, n): the bytes of the words in order and
//   of the character n-grams, in place of all the above; good until the text's run ends
// kInsert: new features get new ids; without it they are left out.
template <bool kInsert, class Sink>
class Extractor {
 public:
  using Vocab = std::conditional_t<kInsert, Vocabulary, const Vocabulary>;
  Extractor(Vocab& vocabulary, Sink& sink, const Stems* stems = nullptr)
      : v_(vocabulary), sink_(sink), stems_(stems) {
    tape_.track_origin = rewritten_.track_origin = Sink::kTraces;
  }
  // Sets the stems of the words of the texts to come; null: none.
  void stem(const Stems* stems) { stems_ = stems; }

  void run(Utf8 text) {
    if (v_.recipe.word_hi) run_words(text);
    if (v_.recipe.char_hi) run_chars(text);
    for (Tape* tape : {&tape_, &rewritten_})
      if (tape->bytes.size() > kKeepScratch) *tape = fresh_tape();
  }
  const Tape& tape() const { return tape_; }

 private:
  static constexpr bool kTakesBytes =
      requires(Sink& sink, const WordKey* keys) { sink.words(keys, size_t{1}); };
  static constexpr size_t kBlock = TokenCursor::kMost / 2;
  static constexpr size_t kKeepScratch = size_t{16} << 20, kKeepPieces = size_t{16} << 10;

  static Tape fresh_tape() {
    Tape tape;
    tape.track_origin = Sink::kTraces;
    return tape;
  }

  // ---- words ----

  void run_words(Utf8 text) {
    tokenize(v_.recipe, text, tape_);
    if (stems_) {
      rewriter_.run(v_.recipe, v_.stops, *stems_, tape_, rewritten_);
      std::swap(tape_, rewritten_);
    }
    TokenCursor cursor(tape_);
    negating_ = false;
    read_ = 0;
    seen_ = 0;
    for (u32& last : last_) last = kNone;
    while (const size_t n = cursor.next(edges_)) {
      const size_t m = v_.recipe.negation && !stems_ ? keys_negated(n) : keys(n);
      if constexpr (kTakesBytes)
        sink_.words(keys_, m);
      else if (v_.hashed())
        hash_block(m);
      else
        look_up_block(m);
    }
  }

  bool is_stop(const WordKey& k) const { return v_.stops.size() && v_.stops.find(k) != kNone; }

  // The key of what will be looked up.
  NABI_HOT WordKey key(const WordTable::View& table, const u8* p, u32 size, bool is_looked_up) {
    if (kTakesBytes && !is_looked_up) return {0, 0, 0, p, size};
    const WordKey k = table.key(p, size);
    if (!kTakesBytes) table.prefetch(k);
    return k;
  }

  size_t keys(size_t n) {
    const u8* const bytes = tape_.bytes.data();
    const WordTable::View words = v_.words.view();
    const bool drops_short = v_.recipe.preset == Preset::kSklearn && !stems_;
    const bool stops = v_.stops.size() != 0 && !stems_;
    if (!drops_short && !stops) {
      for (size_t i = 0; i < n; i += 2) {
        keys_[i / 2] = key(words, bytes + edges_[i], edges_[i + 1] - edges_[i], false);
        if (Sink::kTraces) begin_[i / 2] = edges_[i], end_[i / 2] = edges_[i + 1];
      }
      return n / 2;
    }
    size_t m = 0;
    for (size_t i = 0; i < n; i += 2) {
      const u32 begin = edges_[i], size = edges_[i + 1] - begin;
      keys_[m] = key(words, bytes + begin, size, stops);
      if (Sink::kTraces) begin_[m] = begin, end_[m] = edges_[i + 1];
      m += !(drops_short && is_too_short(v_.recipe, {bytes + begin, size}));
      if (stops && m && is_stop(keys_[m - 1])) --m;
    }
    return m;
  }

  size_t keys_negated(size_t n) {
    const u8* const bytes = tape_.bytes.data();
    marked_.clear();
    // One allocation for the block: the keys point into it.
    marked_.reserve(size_t{edges_[n - 1]} - edges_[0] + n * (kNegationMark.size() + 16));
    size_t m = 0;
    for (size_t i = 0; i < n; i += 2) {
      const u8* const p = bytes + edges_[i];
      const u32 size = edges_[i + 1] - edges_[i];
      for (; read_ < edges_[i]; ++read_)
        if (ends_clause(bytes[read_])) negating_ = false;
      read_ = edges_[i + 1];
      const bool marks = negating_;
      if (is_negator(p, size, v_.recipe.lowercase)) negating_ = true;
      WordKey k = v_.words.key(p, size);
      if (is_stop(k)) continue;
      if (marks) {
        const size_t at = marked_.size();
        marked_.insert(marked_.end(), kNegationMark.begin(), kNegationMark.end());
        marked_.insert(marked_.end(), p, p + size);
        marked_.resize(marked_.size() + 16);
        k = v_.words.key(marked_.data() + at, size + u32(kNegationMark.size()));
      }
      if (Sink::kTraces) begin_[m] = edges_[i], end_[m] = edges_[i + 1];
      keys_[m++] = k;
    }
    return m;
  }

  void look_up_block(size_t m) {
    u32* const ids = ids_[0];
    for (size_t i = 0; i < m;) i = look_up_some(i, m, ids);
    if (v_.recipe.word_lo <= 1) add_all<kWords>(ids, begin_, 0, m);
    if constexpr (Sink::kStreams)
      sink_.stream(ids, m);
    else if (v_.recipe.word_hi > 1 && m)
      grams_block(m);
  }

  // Looks up words from the i-th on, to the first new one or to the end; returns which is next.
  NABI_HOT size_t look_up_some(size_t i, size_t m, u32* ids) {
    const WordTable::View words = v_.words.view();
    for (; i < m; ++i) {
      ids[i] = words.find(keys_[i]);
      if constexpr (kInsert) {
        if (ids[i] == kNone) [[unlikely]] {
          ids[i] = v_.words.intern(keys_[i]);
          sink_.template prefetch<kWords>(ids[i]);
          return i + 1;
        }
      }
      sink_.template prefetch<kWords>(ids[i]);
    }
    return m;
  }

  // Order by order: an n-gram is the (n-1)-gram that ended one word earlier, and this word.
  void grams_block(size_t m) {
    u32* shorter = ids_[0];
    u32* longer = ids_[1];
    if (Sink::kTraces) std::copy(begin_, begin_ + m, gram_begin_);
    std::copy(shorter, shorter + m, words_of_block_);
    for (u32 order = 2; order <= v_.recipe.word_hi; ++order) {
      const u32 bit = order > 2 ? kGramBit : 0;
      for (size_t i = 0; i < m; ++i) {
        const u32 prefix = i ? shorter[i - 1] : last_[order - 1];
        const u32 word = words_of_block_[i];
        const bool known = prefix != kNone && word != kNone;
        gram_keys_[i] = known ? GramTable::key(prefix | bit, word) : 0;
        gram_hashes_[i] = v_.grams.hash(gram_keys_[i]);
        v_.grams.prefetch(gram_hashes_[i]);
      }
      if (Sink::kTraces) shift_begins(order, m);
      for (size_t i = 0; i < m; ++i) {
        if constexpr (kInsert)
          longer[i] = gram_keys_[i] ? v_.grams.intern(gram_keys_[i], gram_hashes_[i]) : kNone;
        else
          longer[i] = gram_keys_[i] ? v_.grams.find(gram_keys_[i], gram_hashes_[i]) : kNone;
        sink_.template prefetch<kGrams>(longer[i]);
      }
      if (order >= v_.recipe.word_lo) add_all<kGrams>(longer, gram_begin_, 0, m);
      last_[order - 1] = shorter[m - 1];
      std::swap(shorter, longer);
    }
  }

  // Where the grams of this order begin: where those one shorter, one word earlier, began.
  void shift_begins(u32 order, size_t m) {
    const u32 kept = gram_begin_[m - 1];
    for (size_t i = m - 1; i > 0; --i) gram_begin_[i] = gram_begin_[i - 1];
    gram_begin_[0] = last_begin_[order - 1];
    last_begin_[order - 1] = kept;
  }

  // ---- buckets: hashes in place of ids ----

  void hash_block(size_t m) {
    if (!m) return;
    for (size_t i = 0; i < m; ++i) {
      if (Sink::kTraces) gram_begin_[i] = begin_[i];
      word_hashes_[i] = gram_hashes_[i] = hash64(keys_[i].bytes, keys_[i].size, kWordSeed);
    }
    if (v_.recipe.word_lo <= 1) add_buckets(word_hashes_, begin_, 0, m);
    for (u32 order = 2; order <= v_.recipe.word_hi; ++order) {
      const u64 kept = gram_hashes_[m - 1];
      for (size_t i = m; i-- > 0;) {
        const u64 prefix = i ? gram_hashes_[i - 1] : last_hash_[order - 1];
        gram_hashes_[i] = hash_gram(prefix, word_hashes_[i]);
      }
      last_hash_[order - 1] = kept;
      if (Sink::kTraces) shift_begins(order, m);
      if (order < v_.recipe.word_lo) continue;
      // The text's first order - 1 words end no n-gram of this order.
      add_buckets(gram_hashes_, gram_begin_, order - 1 > seen_ ? order - 1 - seen_ : 0, m);
    }
    seen_ += m;
  }

  void add_buckets(const u64* hashes, const u32* begins, size_t from, size_t m) {
    u32* const ids = ids_[0];
    for (size_t i = from; i < m; ++i) {
      ids[i] = bucket_of(hashes[i], v_.recipe.buckets);
      v_.buckets.prefetch(ids[i]);
    }
    for (size_t i = from; i < m; ++i) {
      if constexpr (kInsert)
        ids[i] = v_.buckets.intern(ids[i]);
      else
        ids[i] = v_.buckets.find(ids[i]);
      sink_.template prefetch<kWords>(ids[i]);
    }
    add_all<kWords>(ids, begins, from, m);
  }

  // ---- character n-grams ----

  [[gnu::noinline]] void run_chars(Utf8 text) {
    if (v_.recipe.preset == Preset::kText) return run_whole(text);
    if (v_.recipe.only_hangul && !may_have_hangul(text)) return;
    split(v_.recipe, text, tape_);
    TokenCursor cursor(tape_);
    while (const size_t n = cursor.next(edges_))
      for (size_t i = 0; i < n; i += 2)
        v_.recipe.only_hangul ? run_hangul(edges_[i], edges_[i + 1])
                              : run_piece(edges_[i], edges_[i + 1]);
    flush_chars();
  }

  // Each run of Hangul in a piece counts as a piece.
  void run_hangul(u32 begin, u32 end) {
    const u8* const bytes = tape_.bytes.data();
    for (const u8* p = bytes + begin; p < bytes + end;) {
      const u8* const q = hangul_end(p, bytes + end);
      if (q != p) run_piece(u32(p - bytes), u32(q - bytes));
      p = q != p ? q : step(p);
    }
  }

  // All n-grams of " piece ", as scikit-learn's char_wb: a piece shorter than n counts once.
  void run_piece(u32 begin, u32 end) {
    const size_t size = size_t{end - begin} + 2;
    if (used_ + size + 16 > piece_.size()) flush_chars();
    if (used_ + size + 16 > piece_.size()) piece_.resize(size + kKeepPieces);
    u8* const first = piece_.data() + used_;
    const u8* const last = first + size;
    used_ += size;
    first[0] = first[size - 1] = ' ';
    std::memcpy(first + 1, tape_.bytes.data() + begin, size - 2);
    for (u32 n = v_.recipe.char_lo; n <= v_.recipe.char_hi; ++n) {
      const u8 *p = first, *q = first;
      // The added spaces come from nowhere; one on its own stands at the letter beside it.
      const auto add_here = [&] {
        const u32 from = p == first ? begin : begin + u32(p - first) - 1;
        const u32 to = std::min(end, begin + u32(q - first) - 1);
        add_char(p, q, std::min(from, end - 1), std::max(to, begin + 1));
      };
      for (u32 length = 0; length < n && q < last; ++length) q = step(q);
      add_here();
      if (q == last) break;
      while (q < last) {
        p = step(p);
        q = step(q);
        add_here();
      }
    }
  }

  // All n-grams of the whole text, as scikit-learn's char: a text shorter than n has none.
  void run_whole(Utf8 text) {
    squeeze(v_.recipe, text, tape_);
    const u8* const first = tape_.bytes.data();
    const u8* const last = first + tape_.size;
    for (u32 n = v_.recipe.char_lo; n <= v_.recipe.char_hi; ++n) {
      const u8 *p = first, *q = first;
      u32 length = 0;
      for (; length < n && q < last; ++length) q = step(q);
      if (length < n) break;
      for (;; p = step(p), q = step(q)) {
        add_char(p, q, u32(p - first), u32(q - first));
        if (q == last) break;
      }
    }
    look_up_chars();
  }
  static const u8* step(const u8* p) {
    return p + (p[0] < 0x80 ? 1 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4);
  }

  void add_char(const u8* p, const u8* q, u32 begin, u32 end) {
    if (pending_ == kBlock) look_up_chars();
    keys_[pending_] = key(v_.chars.view(), p, u32(q - p), false);
    if (Sink::kTraces) begin_[pending_] = begin, end_[pending_] = end;
    ++pending_;
  }
  void look_up_chars() {
    if constexpr (kTakesBytes) {
      sink_.chars(keys_, pending_);
    } else if (v_.hashed()) {
      for (size_t i = 0; i < pending_; ++i)
        word_hashes_[i] = hash64(keys_[i].bytes, keys_[i].size, kCharSeed);
      add_buckets(word_hashes_, begin_, 0, pending_);
    } else {
      for (size_t i = 0; i < pending_; ++i) {
        if constexpr (kInsert)
          add<kChars>(v_.chars.intern(keys_[i]), begin_[i], end_[i]);
        else
          add<kChars>(v_.chars.find(keys_[i]), begin_[i], end_[i]);
      }
    }
    pending_ = 0;
  }
  // After this the pieces' bytes are free to be written over.
  void flush_chars() {
    look_up_chars();
    used_ = 0;
  }

  // The features from `from` to `to` of a block, which end at end_; none where `from` is behind.
  template <Space kSpace>
  NABI_HOT void add_all(const u32* ids, const u32* begins, size_t from, size_t to) {
    if constexpr (requires(Sink& sink) { sink.template add_all<kSpace>(ids, to); }) {
      if (from < to) sink_.template add_all<kSpace>(ids + from, to - from);
    } else {
      for (size_t i = from; i < to; ++i) add<kSpace>(ids[i], begins[i], end_[i]);
    }
  }
  template <Space kSpace>
  NABI_HOT void add(u32 id, u32 begin, u32 end) {
    if (id == kNone) return;
    if constexpr (Sink::kTraces) sink_.at(begin, end);
    sink_.template add<kSpace>(id);
  }

  Vocab& v_;
  Sink& sink_;
  const Stems* stems_;
  Tape tape_, rewritten_;
  Rewriter rewriter_;
  bool negating_ = false;
  size_t read_ = 0;     // how much of the tape has been searched for the end of a clause
  size_t seen_ = 0;     // words of this text in earlier blocks
  size_t pending_ = 0;  // character n-grams waiting to be looked up
  size_t used_ = 0;
  std::vector<u8> marked_, piece_;
  // N-grams that end with the last word of the previous block, by order.
  u32 last_[kMostOrder + 1], last_begin_[kMostOrder + 1] = {};
  u64 last_hash_[kMostOrder + 1] = {};
  // One block.
  u32 edges_[TokenCursor::kMost];
  WordKey keys_[kBlock + 1];
  u32 begin_[kBlock + 1], end_[kBlock + 1], gram_begin_[kBlock + 1];
  u32 ids_[2][kBlock], words_of_block_[kBlock];
  u64 gram_keys_[kBlock], gram_hashes_[kBlock], word_hashes_[kBlock];
};

}  // namespace nabi
