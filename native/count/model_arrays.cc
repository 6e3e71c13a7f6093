// Writing and checking the arrays of a model file.
#include "count/model_arrays.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "platform/threads.h"
#include "vocabulary/feature_order.h"
#include "vocabulary/name_order.h"

namespace nabi {
namespace {

// Features of a table, by their index in Vocabulary::names().
class Features {
 public:
  Features(const CountTable& table, unsigned threads)
      : table_(table), v_(table.vocabulary), grams_(v_.grams.pairs(threads)) {
    for (u32 id = 0; id < v_.words.size(); ++id) words_.push_back(v_.words.bytes(id));
  }

  Vocabulary::FeatureId at(u32 feature) const {
    const u32 words = v_.size(kWords), grams = v_.size(kGrams);
    if (feature < words) return {kWords, feature};
    if (feature < words + grams) return {kGrams, feature - words};
    return {kChars, feature - words - grams};
  }
  const Rows& rows(Vocabulary::FeatureId feature) const { return table_.rows[feature.space]; }
  bool has_count(Vocabulary::FeatureId feature) const { return !rows(feature).empty(feature.id); }
  // Features are read in an order of their own, so that without this each would be a cache miss.
  void prefetch(Vocabulary::FeatureId feature) const {
    rows(feature).prefetch(feature.id);
    if (feature.space == kGrams) nabi::prefetch(grams_.data(), feature.id);
  }
  void prefetch_cells(Vocabulary::FeatureId feature) const {
    rows(feature).prefetch_cells(feature.id);
    if (feature.space == kGrams) nabi::prefetch(words_.data(), grams_[feature.id].last);
  }
  void prefetch_word(Vocabulary::FeatureId feature) const {
    if (feature.space == kGrams) nabi::prefetch(words_[grams_[feature.id].last].data(), 0);
  }

  // Writes a name at p. What lies behind it, up to `limit`, may be written over.
  void write(Vocabulary::FeatureId feature, u8* p, const u8* limit) const {
    if (feature.space == kWords && !v_.hashed()) {
      put(words_[feature.id], p, limit);
    } else if (feature.space == kGrams && !(grams_[feature.id].prefix & kGramBit)) {
      p = put(words_[grams_[feature.id].prefix], p, limit);
      *p++ = ' ';
      put(words_[grams_[feature.id].last], p, limit);
    } else {
      name(feature, [&](std::span<const u8> piece) {
        std::memcpy(p, piece.data(), piece.size());
        p += piece.size();
      });
    }
  }

  // Calls take(bytes) with the pieces of a name, the first one first.
  template <class Take>
  void name(Vocabulary::FeatureId feature, Take take) const {
    static constexpr u8 kSpace[] = {' '}, kTab[] = {'\t'};
    if (v_.hashed()) {
      const std::string bucket = v_.bucket_name(feature.id);
      take(std::span(reinterpret_cast<const u8*>(bucket.data()), bucket.size()));
    } else if (feature.space == kWords) {
      take(words_[feature.id]);
    } else if (feature.space == kChars) {
      if (v_.marks_chars()) take(std::span(kTab));
      take(v_.chars.bytes(feature.id));
    } else {
      const Gram gram = grams_[feature.id];
      const bool longer = gram.prefix & kGramBit;
      name({longer ? kGrams : kWords, gram.prefix & ~kGramBit}, take);
      take(std::span(kSpace));
      take(words_[gram.last]);
    }
  }

 private:
  // Most words have no more than 16 bytes, which are copied by one instruction: as many are
  // readable.
  static u8* put(std::span<const u8> word, u8* p, const u8* limit) {
    if (word.size() <= 16 && limit - p >= 16)
      std::memcpy(p, word.data(), 16);
    else
      std::memcpy(p, word.data(), word.size());
    return p + word.size();
  }

  const CountTable& table_;
  const Vocabulary& v_;
  const RawVector<Gram> grams_;
  std::vector<std::span<const u8>> words_;  // by id
};

// Sorts cells of one feature by class, which they mostly are already.
void sort_cells(Cells& cells, u64 begin, u64 end) {
  const auto first = cells.classes.begin() + ptrdiff_t(begin);
  if (std::is_sorted(first, first + ptrdiff_t(end - begin))) return;
  std::vector<std::pair<u32, u64>> row;
  for (u64 i = begin; i < end; ++i) row.emplace_back(cells.classes[i], cells.counts[i]);
  std::sort(row.begin(), row.end());
  for (u64 i = begin; i < end; ++i)
    std::tie(cells.classes[i], cells.counts[i]) = row[size_t(i - begin)];
}

// Replaces numbers by their running sums.
void add_up(RawVector<u64>& values, unsigned threads) {
  const size_t n = values.size();
  const auto begin = [&](unsigned t) { return values.begin() + ptrdiff_t(n * t / threads); };
  on_threads(threads, [&](unsigned t) { std::partial_sum(begin(t), begin(t + 1), begin(t)); });
  std::vector<u64> before(threads);
  for (unsigned t = 1; t < threads; ++t)
    before[t] = before[t - 1] + (begin(t) == begin(t - 1) ? 0 : begin(t)[-1]);
  on_threads(threads, [&](unsigned t) {
    if (before[t])
      for (auto value = begin(t); value != begin(t + 1); ++value) *value += before[t];
  });
}

}  // namespace

ModelArrays to_arrays(const CountTable& table, std::span<const u32> class_rank, unsigned threads) {
  constexpr size_t kAhead = 24, kCellsAhead = 12, kWordAhead = 6;
  const Features all(table, threads);
  ModelArrays out;
  out.features = in_order(table.vocabulary, 1, threads);
  const auto each = [&](auto use) {
    const size_t n = out.features.size();
    on_threads(threads, [&](unsigned t) {
      const size_t end = n * (t + 1) / threads;
      for (size_t i = n * t / threads; i < end; ++i) {
        if (i + kAhead < end) all.prefetch(all.at(out.features[i + kAhead]));
        if (i + kCellsAhead < end) all.prefetch_cells(all.at(out.features[i + kCellsAhead]));
        if (i + kWordAhead < end) all.prefetch_word(all.at(out.features[i + kWordAhead]));
        use(i, end, all.at(out.features[i]));
      }
    });
  };
  if (table.features() < out.features.size()) {
    each([&](size_t i, size_t, Vocabulary::FeatureId feature) {
      if (!all.has_count(feature)) out.features[i] = kNone;
    });
    std::erase(out.features, kNone);
  }
  const size_t n = out.features.size();
  out.word_offsets.resize(n + 1);
  out.cells.offsets.resize(n + 1);
  out.word_offsets[0] = out.cells.offsets[0] = 0;
  each([&](size_t i, size_t, Vocabulary::FeatureId feature) {
    u64 size = 0;
    all.name(feature, [&](std::span<const u8> piece) { size += piece.size(); });
    out.word_offsets[i + 1] = size;
    out.cells.offsets[i + 1] = all.rows(feature).classes(feature.id).size();
  });
  add_up(out.word_offsets, threads);
  add_up(out.cells.offsets, threads);
  out.words.resize(out.word_offsets[n]);
  out.cells.classes.resize(out.cells.offsets[n]);
  out.cells.counts.resize(out.cells.offsets[n]);
  each([&](size_t i, size_t end, Vocabulary::FeatureId feature) {
    u8* const words = out.words.data();
    all.write(feature, words + out.word_offsets[i], words + out.word_offsets[end]);
    const auto classes = all.rows(feature).classes(feature.id);
    const auto counts = all.rows(feature).counts(feature.id);
    const u64 at = out.cells.offsets[i];
    for (size_t c = 0; c < classes.size(); ++c) {
      out.cells.classes[at + c] = class_rank[classes[c]];
      out.cells.counts[at + c] = counts[c];
    }
    sort_cells(out.cells, at, out.cells.offsets[i + 1]);
  });
  return out;
}

template <class Offset>
std::vector<int64_t> locate(std::span<const u8> words, std::span<const Offset> word_offsets,
                            std::span<const u8> names, std::span<const u64> name_offsets) {
  const auto word = [&](size_t i) {
    const u64 begin = word_offsets[i], end = word_offsets[i + 1];
    if (begin > end || end > words.size()) throw std::invalid_argument("broken word offsets");
    return words.subspan(begin, end - begin);
  };
  std::vector<int64_t> found;
  for (size_t k = 0; k + 1 < name_offsets.size(); ++k) {
    const auto name = names.subspan(name_offsets[k], name_offsets[k + 1] - name_offsets[k]);
    size_t lo = 0, hi = word_offsets.empty() ? 0 : word_offsets.size() - 1;
    int64_t at = -1;
    while (lo < hi && at < 0) {
      const size_t middle = lo + (hi - lo) / 2;
      const int order = compare(word(middle), name);
      if (order == 0) at = int64_t(middle);
      order < 0 ? lo = middle + 1 : hi = middle;
    }
    found.push_back(at);
  }
  return found;
}

template std::vector<int64_t> locate(std::span<const u8>, std::span<const u32>, std::span<const u8>,
                                     std::span<const u64>);
template std::vector<int64_t> locate(std::span<const u8>, std::span<const u64>, std::span<const u8>,
                                     std::span<const u64>);

}  // namespace nabi
