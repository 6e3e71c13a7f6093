// Vocabulary: features and their ids, in three spaces: words, word n-grams, character n-grams.
#pragma once

#include <array>
#include <string>

#include "tokenize/recipe.h"
#include "vocabulary/bucket_table.h"
#include "vocabulary/gram_table.h"
#include "vocabulary/word_table.h"

namespace nabi {

enum Space : int { kWords, kGrams, kChars, kSpaces };

class Vocabulary {
 public:
  explicit Vocabulary(const Recipe& recipe);

  Recipe recipe;
  WordTable words;
  GramTable grams;
  WordTable chars;
  BucketTable buckets;  // with hashing, in place of the others
  WordTable stops;

  bool hashed() const { return recipe.buckets != 0; }
  // Number of ids in a space. With hashing, the space of words holds all features: the buckets that
  // were met, however many the recipe has.
  u32 size(Space space) const;
  u32 size() const { return size(kWords) + size(kGrams) + size(kChars); }

  struct FeatureId {
    Space space;
    u32 id;  // kNone: unknown
  };
  // Looks up a feature by its name, in the form of names(); intern() adds it if it is new.
  FeatureId find(std::span<const u8> name) const;
  FeatureId intern(std::span<const u8> name);
  // Whether a vocabulary of the recipe can intern a name.
  static bool can_have(const Recipe& recipe, std::span<const u8> name);

  // All names end to end, ordered by space and id; name i ends where name i + 1 begins.
  struct Names {
    std::vector<u8> bytes;
    std::vector<u64> offsets;
  };
  Names names() const;
  std::string bucket_name(u32 id) const;
  // Whether names of character n-grams begin with a tab, which tells them from words.
  static bool marks_chars(const Recipe& recipe) { return recipe.word_hi && recipe.char_hi; }
  bool marks_chars() const { return marks_chars(recipe); }

 private:
  template <bool kInsert, class Self>
  static FeatureId look_up(Self& self, std::span<const u8> name);
};

}  // namespace nabi
