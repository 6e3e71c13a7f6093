// Counting features row by row, and sorting columns by name.
#include "matrix/count_matrix.h"

#include <stdexcept>

#include "matrix/documents.h"
#include "vocabulary/feature_map.h"
#include "vocabulary/feature_order.h"

namespace nabi {
namespace {

using Columns = FeatureMap;  // the column of each feature, by space and id

// How often each feature of one space comes in the document at hand.
class RowTally {
 public:
  NABI_HOT void add(u32 id) {
    if (id >= now_.size()) [[unlikely]]
      widen(id);
    // No branch, since it would be mispredicted: a word may or may not be new to its document.
    touched_[n_] = id;
    n_ += now_[id]++ == 0;
  }
  void prefetch(u32 id) const { nabi::prefetch(now_.data(), id); }
  // Writes the cells of the document, which ends here.
  void close(u32 mark, std::vector<Cell>& cells) {
    const size_t at = cells.size();
    cells.resize(at + n_);
    for (size_t i = 0; i < n_; ++i) {
      const u32 id = touched_[i];
      cells[at + i] = {id | mark, now_[id]};
      now_[id] = 0;
    }
    n_ = 0;
  }

 private:
  void widen(u32 id) {
    now_.resize(std::max<size_t>(size_t{id} + 1, now_.size() * 2));
    touched_.resize(now_.size() + 1);
  }
  std::vector<int32_t> now_;
  std::vector<u32> touched_;  // the first n_
  size_t n_ = 0;
};

// Counts the features of one document after another. In the cells, n-grams have kGramBit.
class RowSink {
 public:
  static constexpr bool kTraces = false, kStreams = false;

  template <Space kSpace>
  NABI_HOT void add(u32 id) {
    tallies_[kSpace].add(id);
  }
  template <Space kSpace>
  void prefetch(u32 id) {
    if constexpr (kSpace != kWords) tallies_[kSpace].prefetch(id);
  }
  void close(std::vector<Cell>& cells) {
    tallies_[kWords].close(0, cells);
    tallies_[kGrams].close(kGramBit, cells);
    tallies_[kChars].close(0, cells);
  }

 private:
  std::array<RowTally, kSpaces> tallies_;
};

// Replaces ids by columns and sorts each row; ids without a column are left out.
CellRows with_columns(const CellRows& rows, const Columns& columns, bool chars, RowSorter& sorter) {
  CellRows out;
  out.cells.reserve(rows.cells.size());
  out.ends.reserve(rows.ends.size());
  const u32* const of_word = columns[chars ? kChars : kWords].data();
  const u32* const of_gram = columns[kGrams].data();
  size_t begin = 0;
  for (const size_t end : rows.ends) {
    const size_t at = out.cells.size();
    for (; begin < end; ++begin) {
      const u32 id = rows.cells[begin].column;
      const u32 column = id & kGramBit ? of_gram[id & ~kGramBit] : of_word[id];
      if (column != kNone) out.cells.push_back({column, rows.cells[begin].value});
    }
    sorter.sort(out.cells, at);
    out.ends.push_back(out.cells.size());
  }
  return out;
}

// columns[t]: the columns of thread t's ids; a single entry serves all threads.
Csr<int64_t> counts(std::vector<CellRows>&& pieces, std::span<const Columns> columns, bool chars,
                    u64 width, unsigned threads) {
  const auto map_piece = [&](RowSorter& sorter, size_t i, unsigned) {
    const Columns& own = columns[columns.size() > 1 ? pieces[i].thread : 0];
    pieces[i] = with_columns(pieces[i], own, chars, sorter);
  };
  on_pieces(pieces.size(), threads, [&](unsigned) { return RowSorter(width); }, map_piece);
  return joined<int64_t>(std::move(pieces), threads, [](std::span<const Cell> cells, int64_t* out) {
    for (const Cell& cell : cells) *out++ = cell.value;
  });
}

// The column of each feature: its index in the order.
Columns columns_of(const Vocabulary& vocabulary, const std::vector<u32>& order) {
  std::vector<u32> column(vocabulary.size(), kNone);
  for (u32 i = 0; i < order.size(); ++i) column[order[i]] = i;
  Columns out;
  size_t begin = 0;
  for (int s = 0; s < kSpaces; ++s) {
    const auto first = column.begin() + ptrdiff_t(begin);
    out[size_t(s)].assign(first, first + vocabulary.size(Space(s)));
    begin += vocabulary.size(Space(s));
  }
  return out;
}

Vocabulary::Names names_in(const Vocabulary& vocabulary, const std::vector<u32>& order) {
  const Vocabulary::Names all = vocabulary.names();
  Vocabulary::Names out;
  out.bytes.reserve(all.bytes.size());
  out.offsets.reserve(order.size() + 1);
  for (const u32 f : order) {
    out.offsets.push_back(out.bytes.size());
    out.bytes.insert(out.bytes.end(), all.bytes.begin() + ptrdiff_t(all.offsets[f]),
                     all.bytes.begin() + ptrdiff_t(all.offsets[f + 1]));
  }
  out.offsets.push_back(out.bytes.size());
  return out;
}

}  // namespace

LearnedMatrix learn_matrix(const Texts& texts, const Recipe& recipe, unsigned threads) {
  check_matrix_recipe(recipe);
  const Documents documents(texts, threads);
  std::vector<Vocabulary> vocabularies(documents.threads(), Vocabulary(recipe));
  std::atomic<u64> repaired{0};
  auto pieces = documents.rows(
      [&](unsigned t) { return RowReader<true, RowSink>(vocabularies[t], repaired); });

  Vocabulary& all = vocabularies[0];
  std::vector<Columns> maps(documents.threads());
  for (unsigned t = 1; t < documents.threads(); ++t) {
    maps[t] = merge_vocabulary(vocabularies[t], all);
    vocabularies[t] = Vocabulary(recipe);
  }
  const std::vector<u32> order = in_order(all, recipe.word_lo, documents.threads());
  maps[0] = columns_of(all, order);
  for (unsigned t = 1; t < documents.threads(); ++t)
    for (int s = 0; s < kSpaces; ++s)
      for (u32& id : maps[t][size_t(s)]) id = maps[0][size_t(s)][id];
  return {counts(std::move(pieces), maps, !recipe.word_hi, order.size(), documents.threads()),
          names_in(all, order), repaired};
}

// ---- known features ----

KnownFeatures::KnownFeatures(const Recipe& recipe, const Texts& names, std::span<const u32> given)
    : vocabulary(recipe), width(names.size()) {
  check_matrix_recipe(recipe);
  TextReader reader;
  for (size_t i = 0; i < names.size(); ++i) {
    if (given[i] >= width) throw std::invalid_argument("a column that is not there");
    const Utf8 name = reader.read(names[i]);
    const u64 repaired = std::exchange(reader.repaired, 0);
    const Vocabulary::FeatureId feature = vocabulary.intern({name.data, name.size});
    if (feature.id == kNone || repaired) continue;
    std::vector<u32>& to = columns[feature.space];
    if (to.size() <= feature.id) to.resize(std::max<size_t>(feature.id + 1, to.size() * 2), kNone);
    to[feature.id] = given[i];
  }
  for (int s = 0; s < kSpaces; ++s) columns[size_t(s)].resize(vocabulary.size(Space(s)), kNone);
}

Matrix known_matrix(const Texts& texts, const KnownFeatures& known, unsigned threads) {
  const Documents documents(texts, threads);
  std::atomic<u64> repaired{0};
  auto pieces = documents.rows(
      [&](unsigned) { return RowReader<false, RowSink>(known.vocabulary, repaired); });
  return {counts(std::move(pieces), {&known.columns, 1}, !known.vocabulary.recipe.word_hi,
                 known.width, documents.threads()),
          repaired};
}

}  // namespace nabi
