// Reading documents to bags on several threads.
#include "count/bags.h"

#include <numeric>
#include <stdexcept>

#include "platform/threads.h"
#include "vocabulary/extractor.h"

namespace nabi {

Bags::Bags(const Vocabulary& vocabulary, std::span<const u32> order, std::vector<BagPiece>&& pieces,
           const std::vector<FeatureMap>& maps, unsigned threads)
    : bags_(order.size()) {
  std::array<u32, kSpaces> base;
  u64 features = 0;
  for (int s = 0; s < kSpaces; ++s) {
    base[s] = u32(features);
    features += spaces_[s] = vocabulary.size(Space(s));
  }
  if (features >= kNone) throw std::length_error("more than 2^32 features");
  std::vector<size_t> first(pieces.size() + 1);
  for (size_t i = 0; i < pieces.size(); ++i) first[i + 1] = first[i] + pieces[i].ends.size();
  auto held = std::make_shared<std::vector<std::vector<Times>>>(pieces.size());
  const auto finish = [&](char, size_t i, unsigned) {
    BagPiece& piece = pieces[i];
    size_t at = 0;
    for (size_t d = 0; d < piece.ends.size(); ++d) {
      const size_t begin = at;
      for (int s = 0; s < kSpaces; ++s) {
        const std::vector<u32>& map = maps[piece.thread][s];
        for (; at < piece.ends[d][s]; ++at) {
          u32& feature = piece.times[at].feature;
          feature = base[s] + (map.empty() ? feature : map[feature]);
        }
      }
      bags_[order[first[i] + d]] = std::span(piece.times).subspan(begin, at - begin);
    }
    (*held)[i] = std::move(piece.times);  // what it holds stays where it is
  };
  on_pieces(pieces.size(), threads, [](unsigned) { return char{}; }, finish);
  pieces_ = std::move(held);
}

Bags Bags::taken(std::span<const u64> indices) const {
  Bags some;
  some.pieces_ = pieces_;
  some.spaces_ = spaces_;
  some.bags_.reserve(indices.size());
  for (const u64 index : indices) {
    if (index >= bags_.size()) throw std::invalid_argument("a document that is not there");
    some.bags_.push_back(bags_[index]);
  }
  return some;
}

Bags read_bags(const Texts& texts, const Vocabulary& vocabulary, unsigned threads) {
  struct Reader {
    Reader(const Vocabulary& v, const Stems* stems)
        : sink(v.recipe.binary), extractor(v, sink, stems) {}
    BagSink sink;
    Extractor<false, BagSink> extractor;
    TextReader texts;
    BagPiece* last = nullptr;
  };
  const Pieces cuts = cut(texts.size(), [&](size_t i) -> const Text& { return texts[i]; });
  std::vector<BagPiece> pieces(cuts.ends.size());
  threads = unsigned(std::max<size_t>(1, std::min<size_t>(threads, pieces.size())));
  on_pieces(
      pieces.size(), threads,
      [&](unsigned) { return std::make_unique<Reader>(vocabulary, texts.stems.get()); },
      [&](std::unique_ptr<Reader>& reader, size_t i, unsigned t) {
        pieces[i].thread = t;
        if (reader->last) pieces[i].reserve(*reader->last);
        reader->last = &pieces[i];
        for (size_t d = i ? cuts.ends[i - 1] : 0; d < cuts.ends[i]; ++d) {
          reader->extractor.run(reader->texts.read(texts[d]));
          pieces[i].close(reader->sink, [](Space, u32, u32) {});
        }
      });
  std::vector<u32> order(texts.size());
  std::iota(order.begin(), order.end(), 0);
  return Bags(vocabulary, order, std::move(pieces), std::vector<FeatureMap>(threads), threads);
}

}  // namespace nabi
