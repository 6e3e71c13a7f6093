// Looking up stems, and rewriting a tape by them.
#include "vocabulary/stems.h"

#include <algorithm>
#include <stdexcept>

#include "tokenize/negation.h"

namespace nabi {

Stems::Stems(const Texts& words, const Texts& stems) {
  if (words.size() != stems.size()) throw std::invalid_argument("stems that do not fit the words");
  TextReader word_reader, stem_reader;
  for (size_t i = 0; i < words.size(); ++i) {
    const Utf8 word = word_reader.read(words[i]), stem = stem_reader.read(stems[i]);
    if (words_.find({word.data, word.size}) != kNone || !word.size) continue;
    words_.intern({word.data, word.size});
    const auto cuts = std::count(stem.data, stem.data + stem.size, kCustomSeparator);
    stems_.push_back({bytes_.size(), u32(stem.size), u32(cuts) + 1});
    bytes_.insert(bytes_.end(), stem.data, stem.data + stem.size);
  }
}

Stems::Found Stems::find(const WordKey& word) const {
  const u32 id = words_.find(word);
  if (id == kNone) return {{}, 0};
  const Stem& stem = stems_[id];
  return {{bytes_.data() + stem.begin, stem.size}, stem.pieces};
}

void Rewriter::run(const Recipe& recipe, const WordTable& stops, const Stems& stems,
                   const Tape& from, Tape& to) {
  read(recipe, stops, stems, from);
  to.joins = false;
  to.clear(room_);
  for (const Word& word : words_) {
    const u8* p = word.found.bytes.data();
    const u8* const last = p + word.found.bytes.size();
    const auto put = [&](const u8* bytes, size_t n) {
      to.put_bytes(bytes, n, word.origin.first, word.origin.last);
    };
    while (p < last) {
      const u8* const end = word.found.pieces == 1 ? last : std::find(p, last, kCustomSeparator);
      if (word.marked) put(reinterpret_cast<const u8*>(kNegationMark.data()), kNegationMark.size());
      put(p, size_t(end - p));
      to.separate(word.origin.last);
      p = end == last ? end : end + 1;
    }
  }
}

void Rewriter::read(const Recipe& recipe, const WordTable& stops, const Stems& stems,
                    const Tape& from) {
  words_.clear();
  room_ = at_ = 0;
  negating_ = false;
  TokenCursor cursor(from);
  while (const size_t n = cursor.next(edges_)) {
    for (size_t i = 0; i < n; i += 2) {
      keys_[i / 2] = stops.key(from.bytes.data() + edges_[i], edges_[i + 1] - edges_[i]);
      stems.prefetch(keys_[i / 2]);
    }
    read_block(recipe, stops, stems, from, n);
  }
}

void Rewriter::read_block(const Recipe& recipe, const WordTable& stops, const Stems& stems,
                          const Tape& from, size_t n) {
  for (size_t i = 0; i < n; i += 2) {
    const WordKey& key = keys_[i / 2];
    const std::span<const u8> written(key.bytes, key.size);
    const bool marked = recipe.negation && is_negated(from, edges_[i]);
    at_ = edges_[i + 1];
    if (recipe.negation && is_negator(key.bytes, key.size, recipe.lowercase)) negating_ = true;
    if (is_too_short(recipe, written) || (stops.size() && stops.find(key) != kNone)) continue;
    Stems::Found found = stems.find(key);
    if (found.bytes.empty()) found = {written, 1};
    Origin origin{0, 0};
    if (from.track_origin)
      origin = {from.origin[edges_[i]].first, from.origin[edges_[i + 1] - 1].last};
    words_.push_back({found, origin, marked});
    room_ += found.bytes.size() + found.pieces * (kNegationMark.size() + 1);
  }
}

bool Rewriter::is_negated(const Tape& from, u32 begin) {
  for (; at_ < begin; ++at_)
    if (ends_clause(from.bytes[at_])) negating_ = false;
  return negating_;
}

}  // namespace nabi
