// Fuzz target: CSV records of any bytes equal those of a plain reader, in one block or in several.
#include "interchange/csv.h"

#include "fuzz/fuzz.h"

using namespace nabi;

namespace {

using Bytes = std::vector<u8>;

struct Read {
  std::vector<std::vector<Bytes>> rows;
  std::vector<BadRecord> bad;
};

bool is_utf8(const u8* p, const u8* end) {
  Text text{p, size_t(end - p), Text::kUtf8};
  TextReader reader;
  reader.read(text);
  return !reader.repaired;
}

size_t after_line(const Bytes& text, size_t from, u8 line_end) {
  while (from < text.size() && text[from] != line_end) ++from;
  return std::min(from + 1, text.size());
}

// By the definition, one byte after the other.
Read read_plainly(const Bytes& text, const CsvDialect& dialect, size_t longest) {
  Read out;
  for (size_t begin = 0; begin < text.size();) {
    std::vector<Bytes> fields;
    size_t i = begin, stop = begin;
    bool ends = false, bad = false;
    while (!ends && !bad) {
      Bytes field;
      if (dialect.quote && i < text.size() && text[i] == dialect.quote) {
        const size_t open = i;
        bool closed = false;
        for (++i; i < text.size() && i - begin < longest && !closed; ++i) {
          if (text[i] != dialect.quote) {
            field.push_back(text[i]);
          } else if (i + 1 < text.size() && text[i + 1] == dialect.quote) {
            field.push_back(text[i++]);
          } else {
            closed = true;
          }
        }
        if (!closed) {
          const size_t end = after_line(text, begin, dialect.line_end);
          out.bad.push_back({begin, end, BadRecord::kUnclosed, u32(fields.size()), open});
          i = end;
          bad = true;
          continue;
        }
        fields.push_back(field);
        stop = i;
        if (i == text.size()) {
          ends = true;
        } else if (text[i] == dialect.delimiter) {
          ++i;
        } else if (text[i] == dialect.line_end) {
          ++i;
          ends = true;
        } else if (dialect.line_end == '\n' && text[i] == '\r' &&
                   (i + 1 == text.size() || text[i + 1] == '\n')) {
          i = std::min(i + 2, text.size());
          ends = true;
        } else {
          const size_t end = after_line(text, i, dialect.line_end);
          out.bad.push_back({begin, end, BadRecord::kJunk, u32(fields.size()), begin});
          i = end;
          bad = true;
        }
      } else {
        while (i < text.size() && text[i] != dialect.delimiter && text[i] != dialect.line_end)
          field.push_back(text[i++]);
        stop = i;
        ends = i == text.size() || text[i] == dialect.line_end;
        // The delimiter is looked for within the line only; both may be the same byte.
        if (ends && dialect.line_end == '\n' && !field.empty() && field.back() == '\r') {
          field.pop_back();
          --stop;
        }
        i = std::min(i + 1, text.size());
        fields.push_back(field);
      }
    }
    const u64 columns = fields.size();
    if (!bad && stop != begin) {
      if (columns != dialect.columns)
        out.bad.push_back({begin, i, BadRecord::kColumns, u32(columns), begin});
      else if (!is_utf8(text.data() + begin, text.data() + i))
        out.bad.push_back({begin, i, BadRecord::kNotUtf8, u32(columns), begin});
      else
        out.rows.push_back(fields);
    }
    begin = i;
  }
  return out;
}

void append(Read& out, const CsvRecords& records, u64 base) {
  for (size_t row = 0; row < records.begins.size(); ++row) {
    CHECK(records.begins[row] <= records.ends[row] && records.ends[row] <= records.consumed);
    std::vector<Bytes> fields;
    for (const Texts& column : records.columns) {
      const u8* const p = static_cast<const u8*>(column[row].data);
      fields.emplace_back(p, p + column[row].size);
    }
    out.rows.push_back(fields);
  }
  for (BadRecord bad : records.bad) {
    bad.begin += base;
    bad.end += base;
    bad.at += base;
    out.bad.push_back(bad);
  }
}

// Blocks of exactly their size: AddressSanitizer sees the first byte read too far.
Read read_in_blocks(const Bytes& text, size_t block, const CsvDialect& dialect,
                    const std::vector<u32>& wanted, const CsvLimits& limits, unsigned threads) {
  Read out;
  Bytes rest;
  u64 base = 0;
  for (size_t at = 0;;) {
    const size_t n = std::min(block, text.size() - at);
    rest.insert(rest.end(), text.begin() + ptrdiff_t(at), text.begin() + ptrdiff_t(at + n));
    at += n;
    const bool final = at == text.size();
    for (bool full = true; full;) {
      const Bytes own(rest);
      const CsvRecords records(own, final, dialect, wanted, limits, threads);
      append(out, records, base);
      CHECK(records.begins.size() + records.bad.size() <= limits.most);
      full = records.full;
      CHECK(!final || full || records.consumed == own.size());
      rest.assign(own.begin() + ptrdiff_t(records.consumed), own.end());
      base += records.consumed;
    }
    if (final) return out;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static constexpr u8 kDelimiters[] = {',', '\t', ';', '|', ',', ' ', 'a', 0};
  fuzz::Input given(data, size);
  CsvDialect dialect;
  dialect.delimiter = kDelimiters[given.below(8)];
  dialect.quote = given.below(8) ? '"' : 0;
  dialect.line_end = given.below(8) ? '\n' : '\r';
  dialect.columns = 1 + given.below(3);
  const size_t longest = given.below(4) ? 1 << 24 : 1 + given.below(40);
  const u64 most = given.below(4) ? UINT64_MAX : 1 + given.below(4);
  const size_t block = 1 + given.below(given.flag() ? 8 : 400);
  const unsigned threads = 1 + given.below(5);
  // Mostly what makes records: other bytes hide them.
  Bytes text = given.take(512);
  static constexpr u8 kOften[] = {'"', '"', '"', ',', ',', '\n', '\n', '\r', 'a', 'b', 0xC3, 0xA9};
  if (given.flag())
    for (u8& b : text) b = b & 1 ? kOften[(b >> 1) % std::size(kOften)] : b;

  std::vector<u32> wanted(dialect.columns);
  for (u32 i = 0; i < wanted.size(); ++i) wanted[i] = i;
  const Read expected = read_plainly(text, dialect, longest);
  const Read whole = read_in_blocks(text, text.size() + 1, dialect, wanted, {longest}, 1);
  CHECK(whole.rows == expected.rows);
  CHECK(whole.bad == expected.bad);
  const Read chunks = read_in_blocks(text, text.size() + 1, dialect, wanted, {longest}, threads);
  CHECK(chunks.rows == expected.rows);
  CHECK(chunks.bad == expected.bad);
  const Read blocks = read_in_blocks(text, block, dialect, wanted, {longest, most}, threads);
  CHECK(blocks.rows == expected.rows);
  CHECK(blocks.bad == expected.bad);
  return 0;
}
