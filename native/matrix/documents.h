// Documents read piece by piece on several threads, each to a row of cells.
#pragma once

#include "matrix/csr.h"
#include "unicode/texts.h"
#include "vocabulary/extractor.h"

namespace nabi {

// Throws std::invalid_argument unless the names of the recipe's features are unambiguous: words as
// `sklearn` cuts them, or characters.
void check_matrix_recipe(const Recipe& recipe);

// Reader of one thread. Its sink has close(cells), which writes the row of the last document.
template <bool kInsert, class Sink>
class RowReader {
 public:
  template <class... Given>
  explicit RowReader(typename Extractor<kInsert, Sink>::Vocab& vocabulary,
                     std::atomic<u64>& repaired, Given&&... given)
      : sink_(std::forward<Given>(given)...), extractor_(vocabulary, sink_), repaired_(repaired) {}
  ~RowReader() { repaired_ += reader_.repaired; }

  CellRows read(std::span<const Text> texts) {
    CellRows rows;
    for (const Text& text : texts) {
      extractor_.run(reader_.read(text));
      sink_.close(rows.cells);
      rows.ends.push_back(rows.cells.size());
    }
    return rows;
  }

 private:
  Sink sink_;
  Extractor<kInsert, Sink> extractor_;
  TextReader reader_;
  std::atomic<u64>& repaired_;
};

// A batch in pieces, and how many threads they are worth.
class Documents {
 public:
  Documents(const Texts& texts, unsigned threads);

  unsigned threads() const { return threads_; }
  std::span<const Text> piece(size_t i) const {
    const size_t begin = i ? pieces_.ends[i - 1] : 0;
    return std::span(texts_).subspan(begin, pieces_.ends[i] - begin);
  }
  // The rows of each piece; make(t) is the reader of a thread.
  template <class Make>
  std::vector<CellRows> rows(Make make) const {
    std::vector<CellRows> out(pieces_.ends.size());
    on_pieces(out.size(), threads_, make, [&](auto& reader, size_t i, unsigned t) {
      out[i] = reader.read(piece(i));
      out[i].thread = t;
    });
    return out;
  }

 private:
  const Texts& texts_;
  Pieces pieces_;
  unsigned threads_;
};

}  // namespace nabi
