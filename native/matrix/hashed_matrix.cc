// Hashing features as they come: without a table of features, memory is that of the cells alone.
#include "matrix/hashed_matrix.h"

#include <bit>
#include <cmath>

#include "matrix/documents.h"
#include "matrix/murmur3.h"

namespace nabi {
namespace {

class HashSink {
 public:
  static constexpr bool kTraces = false, kStreams = false;

  HashSink(const Recipe& recipe, const Hashing& hashing)
      : recipe_(recipe), hashing_(hashing), sorter_(hashing.width) {
    mask_ = std::has_single_bit(hashing.width) ? hashing.width - 1 : 0;
    signs_ = hashing.signs ? ~u32{0} : 0;
  }

  void words(const WordKey* keys, size_t n) {
    if (recipe_.word_hi == 1) return chars(keys, n);
    for (size_t i = 0; i < n; ++i) join(keys[i]);
  }
  void chars(const WordKey* keys, size_t n) {
    const size_t at = row_.size();
    row_.resize(at + n);
    for (size_t i = 0; i < n; ++i) row_[at + i] = cell(keys[i].bytes, keys[i].size);
  }
  void close(std::vector<Cell>& cells) {
    if (recipe_.word_hi > 1) add_grams();
    sorter_.sort(row_, 0);
    cells.insert(cells.end(), row_.begin(), row_.end());
    row_.clear();
  }

 private:
  NABI_HOT Cell cell(const u8* name, size_t size) const {
    const u32 hash = murmur3(name, size);
    // All ones below zero. No branch: half of the hashes are.
    const u32 sign = u32(int32_t(hash) >> 31), magnitude = (hash ^ sign) - sign;
    return {mask_ ? magnitude & mask_ : magnitude % hashing_.width, int32_t(sign & signs_) | 1};
  }
  // The words with one space between them: every n-gram then lies in one piece.
  void join(const WordKey& word) {
    joined_.resize(end_);
    joined_.insert(joined_.end(), word.bytes, word.bytes + word.size);
    joined_.push_back(' ');
    begins_.push_back(end_);
    end_ = joined_.size();
    joined_.resize(end_ + kPadding);
  }
  void add_grams() {
    const size_t n = begins_.size();
    begins_.push_back(end_);
    for (size_t order = recipe_.word_lo; order <= recipe_.word_hi; ++order)
      for (size_t i = 0; i + order <= n; ++i)
        row_.push_back(cell(joined_.data() + begins_[i], begins_[i + order] - 1 - begins_[i]));
    begins_.clear();
    end_ = 0;
  }

  const Recipe& recipe_;
  const Hashing& hashing_;
  RowSorter sorter_;
  u32 mask_;   // for a width that is a power of two; 0: it is none
  u32 signs_;  // 0: all values are 1
  std::vector<Cell> row_;
  std::vector<u8> joined_;  // padded
  std::vector<size_t> begins_;
  size_t end_ = 0;
};

// A row's values as scikit-learn's normalize() leaves them: sums of whole numbers are exact in any
// order.
void put_values(const Hashing& hashing, std::span<const Cell> cells, double* out) {
  double sum = 0;
  for (size_t i = 0; i < cells.size(); ++i) {
    out[i] = hashing.binary ? 1 : cells[i].value;
    sum += hashing.norm == Hashing::kL2 ? out[i] * out[i] : std::fabs(out[i]);
  }
  if (hashing.norm == Hashing::kNone || sum == 0) return;
  const double length = hashing.norm == Hashing::kL2 ? std::sqrt(sum) : sum;
  for (size_t i = 0; i < cells.size(); ++i) out[i] /= length;
}

}  // namespace

HashedMatrix hashed_matrix(const Texts& texts, const Recipe& recipe, const Hashing& hashing,
                           unsigned threads) {
  check_matrix_recipe(recipe);
  const Documents documents(texts, threads);
  const Vocabulary stop_words(recipe);  // the only words that are looked up
  std::atomic<u64> repaired{0};
  auto pieces = documents.rows(
      [&](unsigned) { return RowReader<false, HashSink>(stop_words, repaired, recipe, hashing); });
  auto rows = joined<double>(
      std::move(pieces), documents.threads(),
      [&](std::span<const Cell> cells, double* out) { put_values(hashing, cells, out); });
  return {std::move(rows), repaired};
}

}  // namespace nabi
