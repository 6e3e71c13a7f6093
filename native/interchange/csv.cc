// The CSV reader, field by field.
#include "interchange/csv.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "platform/threads.h"

namespace nabi {
namespace {

constexpr u32 kNotWanted = UINT32_MAX;
constexpr size_t kLeastChunk = limit(size_t{1} << 20, 8);  // bytes that are worth a thread

const u8* search(const u8* from, const u8* end, u8 byte) {
  return from < end ? static_cast<const u8*>(std::memchr(from, byte, size_t(end - from))) : nullptr;
}

// A field of CSV, in quotes where it needs them; bytes that are not UTF-8 as \xFF.
void add_field(std::string& out, const u8* p, const u8* end) {
  const bool quoted =
      std::any_of(p, end, [](u8 b) { return b == ',' || b == '"' || b == '\r' || b == '\n'; });
  if (quoted) out += '"';
  while (p < end) {
    u32 bad;
    const u32 size = *p < 0x80 ? 1 : well_formed(p, end, &bad);
    if (!size) {
      static constexpr char kDigits[] = "0123456789abcdef";
      out += {'\\', 'x', kDigits[*p >> 4], kDigits[*p & 15]};
    } else {
      if (*p == '"') out += '"';
      out.append(reinterpret_cast<const char*>(p), size);
    }
    p += size ? size : 1;
  }
  if (quoted) out += '"';
}

void add_field(std::string& out, const std::string& field) {
  const u8* const p = reinterpret_cast<const u8*>(field.data());
  add_field(out, p, p + field.size());
}

}  // namespace

CsvRecords::CsvRecords(std::span<const u8> text, bool final, const CsvDialect& dialect,
                       std::span<const u32> wanted, const CsvLimits& limits, unsigned threads)
    : columns(wanted.size()),
      begin_(text.data()),
      end_(text.data() + text.size()),
      final_(final),
      dialect_(dialect),
      limits_(limits),
      wanted_(dialect.columns, kNotWanted),
      fields_(wanted.size()) {
  for (u32 i = 0; i < wanted.size(); ++i) wanted_[wanted[i]] = i;
  threads = unsigned(std::min<size_t>(threads, text.size() / kLeastChunk));
  threads > 1 ? read_chunks(threads) : void(read_until(end_));
}

CsvRecords::CsvRecords(const CsvRecords& whole, const u8* begin)
    : consumed(u64(begin - whole.begin_)),
      columns(whole.columns.size()),
      begin_(whole.begin_),
      end_(whole.end_),
      final_(whole.final_),
      looked_at_(begin),
      dialect_(whole.dialect_),
      limits_(whole.limits_),
      wanted_(whole.wanted_),
      fields_(whole.fields_.size()) {}

bool CsvRecords::read_until(const u8* stop) {
  for (const u8* p = begin_ + consumed; p < stop; p = next_) {
    full = begins.size() + bad.size() >= limits_.most || bad.size() >= limits_.bad;
    if (full) return false;
    const Found found = read(p);
    if (found == Found::kCut) return false;
    if (found == Found::kRecord) take(p);
    consumed = u64(next_ - begin_);
  }
  return true;
}

void CsvRecords::read_chunks(unsigned threads) {
  const size_t size = size_t(end_ - begin_);
  const auto edge = [&](size_t i) { return begin_ + size * i / threads; };
  std::vector<CsvRecords> chunks;
  for (unsigned t = 0; t < threads; ++t) {
    const u8* const line = t ? search(edge(t), end_, dialect_.line_end) : begin_ - 1;
    chunks.push_back(CsvRecords(*this, line ? line + 1 : end_));
  }
  on_threads(threads, [&](unsigned t) { chunks[t].read_until(edge(t + 1)); });
  bool more = true;
  for (unsigned t = 0; more && t < threads; ++t) {
    while (more && consumed < u64(edge(t + 1) - begin_) && !chunks[t].begins_at(consumed))
      more = read_until(begin_ + consumed + 1);
    if (more && chunks[t].begins_at(consumed)) append(std::move(chunks[t]), consumed);
  }
  if (more) read_until(end_);
  if (begins.size() + bad.size() < limits_.most && bad.size() < limits_.bad) return;
  // A limit lies somewhere within a chunk: one thread finds it.
  for (Texts& column : columns) column.clear();
  begins.clear();
  ends.clear();
  bad.clear();
  consumed = 0;
  line_end_ = nullptr;
  read_until(end_);
}

bool CsvRecords::begins_at(u64 at) const {
  const auto before = [](const BadRecord& record, u64 place) { return record.begin < place; };
  const auto found = std::lower_bound(bad.begin(), bad.end(), at, before);
  return std::binary_search(begins.begin(), begins.end(), at) ||
         (found != bad.end() && found->begin == at);
}

void CsvRecords::append(CsvRecords&& other, u64 from) {
  const auto first = std::lower_bound(other.begins.begin(), other.begins.end(), from);
  const ptrdiff_t skipped = first - other.begins.begin();
  begins.insert(begins.end(), first, other.begins.end());
  ends.insert(ends.end(), other.ends.begin() + skipped, other.ends.end());
  for (size_t c = 0; c < columns.size(); ++c)
    columns[c].insert(columns[c].end(), other.columns[c].begin() + skipped, other.columns[c].end());
  for (const BadRecord& record : other.bad)
    if (record.begin >= from) bad.push_back(record);
  std::move(other.escaped_.begin(), other.escaped_.end(), std::back_inserter(escaped_));
  left_ = 0;  // the last is not the own one any more
  consumed = other.consumed;
  line_end_ = nullptr;
}

// One record: field by field, until one ends at a line end.
CsvRecords::Found CsvRecords::read(const u8* p) {
  found_ = 0;
  const u8* q = p;
  do {
    more_ = false;
    const bool quoted = dialect_.quote && q < end_ && *q == dialect_.quote;
    const Found found = quoted ? read_quoted(p, q) : read_plain(q);
    if (found != Found::kRecord) return found;
  } while (more_);
  return Found::kRecord;
}

CsvRecords::Found CsvRecords::read_quoted(const u8* p, const u8*& q) {
  const u8* const open = q + 1;
  const u8* const limit = u64(end_ - p) > limits_.longest ? p + limits_.longest : end_;
  const u8* close = open;
  bool escaped = false;
  for (;; close += 2, escaped = true) {
    close = search(close, limit, dialect_.quote);
    if (!close) {
      if (limit == end_ && !final_) return Found::kCut;
      return reject(BadRecord::kUnclosed, p, p, open - 1);
    }
    if (close + 1 == end_ || close[1] != dialect_.quote) break;
  }
  q = close + 1;
  if (q == end_ && !final_) return Found::kCut;  // the other half of a doubled quote may follow
  const bool crlf = dialect_.line_end == '\n' && q < end_ && *q == '\r';
  if (crlf && q + 1 == end_ && !final_) return Found::kCut;
  keep(open, close, escaped);
  if (q < end_ && *q == dialect_.delimiter) {
    ++q;
    more_ = true;
    return Found::kRecord;
  }
  stop_ = q;
  if (crlf && (q + 1 == end_ || q[1] == '\n')) ++q;
  if (q < end_ && *q != dialect_.line_end) return reject(BadRecord::kJunk, p, q, p);
  next_ = q < end_ ? q + 1 : end_;
  return Found::kRecord;
}

CsvRecords::Found CsvRecords::read_plain(const u8*& q) {
  const u8* const line = line_end(q);
  if (!line && !final_) return Found::kCut;
  const u8* const end = line ? line : end_;
  if (const u8* const delimiter = search(q, end, dialect_.delimiter)) {
    keep(q, delimiter, false);
    q = delimiter + 1;
    more_ = true;
    return Found::kRecord;
  }
  const bool cr = dialect_.line_end == '\n' && end > q && end[-1] == '\r';
  stop_ = end - cr;
  next_ = line ? line + 1 : end_;
  keep(q, stop_, false);
  return Found::kRecord;
}

// Takes out the record at p up to the end of the line that `from` is in.
CsvRecords::Found CsvRecords::reject(u32 kind, const u8* p, const u8* from, const u8* at) {
  const u8* const line = search(from, end_, dialect_.line_end);
  if (!line && !final_) return Found::kCut;
  next_ = line ? line + 1 : end_;
  line_end_ = nullptr;  // the one that is known may lie behind lines that are read again
  bad.push_back({u64(p - begin_), u64(next_ - begin_), kind, found_, u64(at - begin_)});
  return Found::kBad;
}

void CsvRecords::keep(const u8* begin, const u8* end, bool escaped) {
  const u32 index = found_ < wanted_.size() ? wanted_[found_] : kNotWanted;
  ++found_;
  if (index == kNotWanted) return;
  Text& field = fields_[index];
  field = {begin, size_t(end - begin), Text::kUtf8};
  if (escaped) field = unescaped(begin, end);
}

// The field with one of each pair of quotes: all that are in it are doubled.
Text CsvRecords::unescaped(const u8* begin, const u8* end) {
  constexpr size_t kRoom = limit(size_t{1} << 16, 8);
  const size_t most = size_t(end - begin);
  if (left_ < most) {
    left_ = std::max(kRoom, most);
    escaped_.push_back(std::make_unique_for_overwrite<u8[]>(left_));
    room_ = escaped_.back().get();
  }
  u8* const first = room_;
  while (begin < end) {
    const u8* const pair = search(begin, end, dialect_.quote);
    const u8* const stop = pair ? pair + 1 : end;
    std::memcpy(room_, begin, size_t(stop - begin));
    room_ += stop - begin;
    begin = stop + (pair != nullptr);
  }
  const size_t size = size_t(room_ - first);
  left_ -= size;
  return {first, size, Text::kUtf8};
}

// The record from p to next_ is delimited; it is taken if it is as it should be.
void CsvRecords::take(const u8* p) {
  if (stop_ == p) return;  // a blank line
  const u64 begin = u64(p - begin_), end = u64(next_ - begin_);
  if (found_ != dialect_.columns) {
    bad.push_back({begin, end, BadRecord::kColumns, found_, begin});
    return;
  }
  const bool ascii = is_ascii_to(next_) || is_ascii(p, size_t(next_ - p));
  if (!ascii && valid_until(p, next_) != next_) {
    bad.push_back({begin, end, BadRecord::kNotUtf8, found_, begin});
    return;
  }
  begins.push_back(begin);
  ends.push_back(u64(stop_ - begin_));
  for (size_t i = 0; i < fields_.size(); ++i) {
    fields_[i].kind = ascii ? Text::kAscii : Text::kValid;
    columns[i].push_back(fields_[i]);
  }
}

// Whether all bytes up to one are ASCII; they are looked at once, some that follow with them.
bool CsvRecords::is_ascii_to(const u8* end) {
  constexpr size_t kBytes = size_t{64} << 10;
  while (ascii_ && looked_at_ < end) {
    const size_t n = std::min(kBytes, size_t(end_ - looked_at_));
    ascii_ = is_ascii(looked_at_, n);
    looked_at_ += n;
  }
  return ascii_;
}

u64 CsvRecords::line_ends() const {
  return u64(std::count(begin_, begin_ + consumed, dialect_.line_end));
}

bool CsvRecords::has_bare_returns() const {
  const u8* const end = begin_ + (ends.empty() ? 0 : ends.back());
  for (const u8* at = begin_; (at = search(at, end, '\r')); ++at)
    if (at + 1 == end_ || at[1] != '\n') return true;
  return false;
}

std::string CsvRecords::rejects(const CsvReasons& given, std::span<const u64> unlabelled,
                                u64 line) const {
  std::string out, file;
  add_field(file, given.file);
  u64 at = 0;
  const auto add = [&](u64 begin, u64 end, const std::string& reason) {
    line += u64(std::count(begin_ + at, begin_ + begin, dialect_.line_end));
    at = begin;
    out.append(file).append(1, ',').append(std::to_string(line)).append(1, ',');
    add_field(out, reason);
    out += ',';
    while (end > begin && (begin_[end - 1] == '\r' || begin_[end - 1] == '\n')) --end;
    add_field(out, begin_ + begin, begin_ + end);
    out += '\n';
  };
  auto next = unlabelled.begin();
  const auto add_unlabelled = [&](u64 before) {
    for (; next != unlabelled.end() && begins[*next] < before; ++next)
      add(begins[*next], ends[*next], given.unlabelled);
  };
  for (const BadRecord& each : bad) {
    add_unlabelled(each.begin);
    const std::string& reason = given.reasons[each.kind];
    const bool counts = each.kind == BadRecord::kColumns;
    add(each.begin, each.end, counts ? reason + std::to_string(each.columns) : reason);
  }
  add_unlabelled(UINT64_MAX);
  return out;
}

const u8* CsvRecords::line_end(const u8* from) {
  if (!line_end_ || line_end_ < from) line_end_ = search(from, end_, dialect_.line_end);
  return line_end_;
}

}  // namespace nabi
