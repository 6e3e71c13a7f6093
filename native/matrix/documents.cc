// Cutting a batch of documents into pieces for threads.
#include "matrix/documents.h"

#include <algorithm>
#include <stdexcept>

namespace nabi {

void check_matrix_recipe(const Recipe& recipe) {
  const bool words = recipe.preset == Preset::kSklearn && recipe.word_lo && !recipe.char_hi;
  const bool chars = (recipe.preset == Preset::kChars || recipe.preset == Preset::kText) &&
                     recipe.char_lo && !recipe.word_hi;
  if (!(words || chars) || recipe.buckets || recipe.negation || recipe.only_hangul)
    throw std::invalid_argument("a recipe that no matrix is made by");
}

Documents::Documents(const Texts& texts, unsigned threads)
    : texts_(texts), pieces_(cut(texts.size(), [&](size_t i) -> const Text& { return texts[i]; })) {
  // So that no feature comes 2^31 times in a text.
  for (const Text& text : texts)
    if (text.size > INT32_MAX / 2) throw std::length_error("a text of over 1 GiB: split it");
  threads_ = unsigned(std::max<size_t>(1, std::min<size_t>(threads, pieces_.ends.size())));
}

}  // namespace nabi
