// Names of features, from ids and back.
#include "vocabulary/vocabulary.h"

#include <cstdio>

#include "unicode/code_point.h"

namespace nabi {

namespace {

// A word of the list as it stands on a tape.
std::vector<u8> stop_word(const Recipe& recipe, const std::string& word) {
  std::vector<u8> out;
  const u8* p = reinterpret_cast<const u8*>(word.c_str());
  for (const u8* const end = p + word.size(); p < end;) {
    const Decoded d = decode(p);
    u8 letter[4];
    const u32 n = encode(recipe.strip_accents ? unaccented(d.code) : d.code, letter);
    if (!recipe.strip_accents || !is_accent(d.code)) out.insert(out.end(), letter, letter + n);
    p += d.size;
  }
  return out;
}

}  // namespace

Vocabulary::Vocabulary(const Recipe& r) : recipe(r), buckets(r.buckets) {
  for (const std::string& word : recipe.stop_words)
    if (const std::vector<u8> bytes = stop_word(recipe, word); !bytes.empty()) stops.intern(bytes);
}

u32 Vocabulary::size(Space space) const {
  if (hashed()) return space == kWords ? buckets.size() : 0;
  return space == kWords ? words.size() : space == kGrams ? grams.size() : chars.size();
}

namespace {

constexpr size_t kBucketName = 9;  // "#" and eight hexadecimal digits

u32 bucket_from(std::span<const u8> name, u64 buckets) {
  if (name.size() != kBucketName || name[0] != '#') return kNone;
  u64 value = 0;
  for (size_t i = 1; i < kBucketName; ++i) {
    const u8 c = name[i];
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return kNone;
    value = value << 4 | u64(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return value < buckets ? u32(value) : kNone;
}

}  // namespace

template <bool kInsert, class Self>
Vocabulary::FeatureId Vocabulary::look_up(Self& self, std::span<const u8> name) {
  const auto word = [](auto& table, std::span<const u8> s) -> u32 {
    if (s.empty() || s.size() > UINT32_MAX) return kNone;
    if constexpr (kInsert)
      return table.intern(s);
    else
      return table.find(s);
  };
  if (self.hashed()) {
    const u32 bucket = bucket_from(name, self.recipe.buckets);
    if (bucket == kNone) return {kWords, kNone};
    if constexpr (kInsert)
      return {kWords, self.buckets.intern(bucket)};
    else
      return {kWords, self.buckets.find(bucket)};
  }
  if (!self.recipe.word_hi) return {kChars, word(self.chars, name)};
  if (self.marks_chars() && !name.empty() && name[0] == '\t')
    return {kChars, word(self.chars, name.subspan(1))};
  if (self.recipe.word_hi == 1) return {kWords, word(self.words, name)};
  // Words are joined by one space; follow the chain of prefixes.
  u32 prefix = kNone;
  bool gram = false;
  for (size_t begin = 0; begin <= name.size();) {
    size_t end = begin;
    while (end < name.size() && name[end] != ' ') ++end;
    const u32 id = word(self.words, name.subspan(begin, end - begin));
    if (id == kNone) return {kWords, kNone};
    if (begin == 0) {
      prefix = id;
    } else {
      const u64 key = GramTable::key(gram ? prefix | kGramBit : prefix, id);
      if constexpr (kInsert)
        prefix = self.grams.intern(key);
      else
        prefix = self.grams.find(key);
      gram = true;
      if (prefix == kNone) return {kGrams, kNone};
    }
    begin = end + 1;
  }
  return {gram ? kGrams : kWords, prefix};
}

Vocabulary::FeatureId Vocabulary::find(std::span<const u8> name) const {
  return look_up<false>(*this, name);
}
Vocabulary::FeatureId Vocabulary::intern(std::span<const u8> name) {
  return look_up<true>(*this, name);
}

bool Vocabulary::can_have(const Recipe& recipe, std::span<const u8> name) {
  const auto is_word = [](std::span<const u8> s) { return !s.empty() && s.size() <= UINT32_MAX; };
  if (recipe.buckets) return bucket_from(name, recipe.buckets) != kNone;
  if (!recipe.word_hi) return is_word(name);
  if (marks_chars(recipe) && !name.empty() && name[0] == '\t') return is_word(name.subspan(1));
  if (recipe.word_hi == 1) return is_word(name);
  for (size_t begin = 0; begin <= name.size();) {
    size_t end = begin;
    while (end < name.size() && name[end] != ' ') ++end;
    if (!is_word(name.subspan(begin, end - begin))) return false;
    begin = end + 1;
  }
  return true;
}

std::string Vocabulary::bucket_name(u32 id) const {
  char name[kBucketName + 1];
  std::snprintf(name, sizeof name, "#%08x", buckets.bucket(id));
  return name;
}

Vocabulary::Names Vocabulary::names() const {
  Names out;
  out.offsets.reserve(size_t{size()} + 1);
  out.offsets.push_back(0);
  const auto add = [&](std::span<const u8> s) {
    out.bytes.insert(out.bytes.end(), s.begin(), s.end());
  };
  const auto close = [&] { out.offsets.push_back(out.bytes.size()); };
  if (hashed()) {
    for (u32 i = 0; i < buckets.size(); ++i) {
      const std::string name = bucket_name(i);
      add({reinterpret_cast<const u8*>(name.data()), name.size()});
      close();
    }
    return out;
  }
  for (u32 i = 0; i < words.size(); ++i) {
    add(words.bytes(i));
    close();
  }
  const u8 space = ' ', tab = '\t';
  const RawVector<Gram> pairs = grams.pairs();
  for (const Gram& gram : pairs) {
    const size_t i =
        gram.prefix & kGramBit ? words.size() + (gram.prefix & ~kGramBit) : gram.prefix;
    const size_t begin = out.offsets[i], end = out.offsets[i + 1], at = out.bytes.size();
    out.bytes.resize(at + end - begin);
    std::memcpy(&out.bytes[at], &out.bytes[begin], end - begin);
    add({&space, 1});
    add(words.bytes(gram.last));
    close();
  }
  for (u32 i = 0; i < chars.size(); ++i) {
    if (marks_chars()) add({&tab, 1});
    add(chars.bytes(i));
    close();
  }
  return out;
}

}  // namespace nabi
