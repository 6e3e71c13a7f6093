// Scoring texts on several threads.
#include "linear/linear_scorer.h"

#include <atomic>
#include <cmath>
#include <stdexcept>

#include "count/bags.h"
#include "linear/feature_sets.h"
#include "platform/threads.h"
#include "vocabulary/extractor.h"

namespace nabi {

LinearScorer::LinearScorer(const Vocabulary& vocabulary, LinearTerms terms)
    : vocabulary_(vocabulary), terms_(std::move(terms)) {
  size_t base = 0;
  for (int s = 0; s < kSpaces; ++s) {
    base_[s] = base;
    size_[s] = vocabulary.size(Space(s));
    base += size_[s];
  }
  if (terms_.scales.size() != base || terms_.weights.size() != base * columns())
    throw std::invalid_argument("weights that do not fit the vocabulary");
}

Seen LinearScorer::score(const Texts& texts, unsigned threads, double* out) const {
  const Pieces pieces = cut(texts.size(), [&](size_t i) -> const Text& { return texts[i]; });
  threads = unsigned(std::max<size_t>(1, std::min<size_t>(threads, pieces.ends.size())));
  std::atomic<size_t> next{0};
  std::atomic<u64> missing{0}, repaired{0};
  const size_t width = columns();
  on_threads(threads, [&](unsigned) {
    BagSink sink(vocabulary_.recipe.binary);
    Extractor<false, BagSink> extractor(vocabulary_, sink, texts.stems.get());
    TextReader reader;
    const auto score_one = [&](double* sums) {
      double length = 0;
      std::fill_n(sums, width, 0.0);
      for (int s = 0; s < kSpaces; ++s)
        sink.close(Space(s), [&](u32 id, u32 n) {
          const size_t f = base_[s] + id;
          if (id >= size_[s] || terms_.scales[f] == 0) return;
          const double x = counts_as(n, terms_.logs), scaled = x * terms_.scales[f];
          length += scaled * scaled;
          for (size_t c = 0; c < width; ++c) sums[c] += x * terms_.weights[f * width + c];
        });
      const double scale = terms_.normalised && length > 0 ? 1 / std::sqrt(length) : 1;
      for (size_t c = 0; c < width; ++c) sums[c] = scale * sums[c] + terms_.bias[c];
    };
    for (size_t piece; (piece = next++) < pieces.ends.size();) {
      for (size_t i = piece ? pieces.ends[piece - 1] : 0; i < pieces.ends[piece]; ++i) {
        extractor.run(reader.read(texts[i]));
        score_one(out + i * width);
      }
    }
    missing += reader.missing;
    repaired += reader.repaired;
  });
  return {missing, repaired};
}

}  // namespace nabi
