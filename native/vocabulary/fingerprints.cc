// Fingerprints of texts and of rows.
#include "vocabulary/fingerprints.h"

#include <algorithm>
#include <numeric>

#include "platform/threads.h"

namespace nabi {

void Fingerprints::of_bytes(std::span<const std::span<const u8>> inputs, u64* out) {
  static_assert(sizeof(Digest) == 2 * sizeof(u64));
  if (kind_ == Fingerprint::kStrong) return blake3_.run(inputs, reinterpret_cast<Digest*>(out));
  for (size_t i = 0; i < inputs.size(); ++i)
    out[i] = fingerprint64(kind_, inputs[i].data(), inputs[i].size());
}

void Fingerprints::of_texts(const Texts& texts, std::span<const u32> indices, u64* out) {
  if (kind_ != Fingerprint::kStrong) {
    for (const u32 i : indices) {
      const Utf8 text = reader_.read(texts[i]);
      out[i] = fingerprint64(kind_, text.data, text.size);
    }
    return;
  }
  inputs_.clear();
  converted_.clear();
  for (const u32 i : indices) {
    const Utf8 text = reader_.read(texts[i]);
    inputs_.emplace_back(text.data, text.size);
    if (text.data != texts[i].data)
      converted_.insert(converted_.end(), text.data, text.data + text.size);
  }
  const u8* next = converted_.data();  // it moves no more
  for (size_t i = 0; i < indices.size(); ++i)
    if (inputs_[i].data() != texts[indices[i]].data) {
      inputs_[i] = {next, inputs_[i].size()};
      next += inputs_[i].size();
    }
  digests_.resize(indices.size());
  blake3_.run(inputs_, digests_.data());
  for (size_t i = 0; i < indices.size(); ++i)
    std::memcpy(out + 2 * size_t{indices[i]}, &digests_[i], sizeof(Digest));
}

std::vector<u64> fingerprints(const Texts& texts, Fingerprint kind, unsigned threads) {
  std::vector<u64> out(texts.size() * words_of(kind));
  std::vector<u32> all(texts.size());
  std::iota(all.begin(), all.end(), 0);
  const Pieces pieces = cut(texts.size(), [&](size_t i) -> const Text& { return texts[i]; });
  threads = unsigned(std::clamp<size_t>(pieces.ends.size(), 1, std::max(1u, threads)));
  on_pieces(
      pieces.ends.size(), threads, [&](unsigned) { return Fingerprints(kind); },
      [&](Fingerprints& own, size_t piece, unsigned) {
        const size_t begin = piece ? pieces.ends[piece - 1] : 0, end = pieces.ends[piece];
        own.of_texts(texts, std::span(all).subspan(begin, end - begin), out.data());
      });
  return out;
}

}  // namespace nabi
