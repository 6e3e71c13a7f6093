// CSV records (RFC 4180) of a text in memory. Fields are slices of the text; only those with
// doubled quotes are copied. A malformed record is reported, and the others are still read.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "unicode/texts.h"

namespace nabi {

struct CsvDialect {
  u8 delimiter = ',';
  u8 quote = '"';  // 0: quotes are plain characters
  u8 line_end = '\n';
  u32 columns = 0;  // fields that each record must have
};

struct BadRecord {
  enum Kind : u32 {
    kColumns,   // too few or too many fields: the record is taken out
    kJunk,      // something after a closing quote: taken out up to the end of that line
    kUnclosed,  // a quote that is never closed: its first line is taken out, the next is read
    kNotUtf8,
  };
  u64 begin, end;  // the bytes of the text that are taken out
  u32 kind;
  u32 columns;  // how many fields were found
  u64 at;       // where the fault lies: the quote that is never closed, otherwise the begin
  bool operator==(const BadRecord&) const = default;
};

struct CsvLimits {
  u64 longest;            // bytes of a record in which a quote must close
  u64 most = UINT64_MAX;  // records, bad ones too, that are read
  u64 bad = UINT64_MAX;   // bad records that are read
};

// What is written of each bad record beside its line and the record itself.
struct CsvReasons {
  std::string file;
  std::vector<std::string> reasons;  // by kind; the number of fields is added to that of kColumns
  std::string unlabelled;            // the reason for records that are well formed
};

class CsvRecords {
 public:
  // Reads the records that are whole, up to the limits. Of a text that is not final the last one
  // may be cut short: it is left for the next text, which must start with it. Blank lines are no
  // records. A quote that does not close within `longest` bytes is taken as never closed.
  //
  // Several threads read a large text in chunks. Whether a line end lies within quotes cannot be
  // told from the middle of a text, so all but the first guess where a record begins. What follows
  // a place depends on nothing before it once a record begins there: so where the record that ends
  // a chunk is followed by one that the next thread has found too, the rest of that chunk is right.
  // Where it is not, the chunk is read again.
  CsvRecords(std::span<const u8> text, bool final, const CsvDialect& dialect,
             std::span<const u32> wanted, const CsvLimits& limits, unsigned threads = 1);
  CsvRecords(CsvRecords&&) = default;

  // How many lines end in the bytes read.
  u64 line_ends() const;
  // Whether a carriage return in a record is followed by something else than a newline.
  bool has_bare_returns() const;
  // The bad records, and those at some indices (ascending), as lines of CSV: file, line, reason,
  // record. `line` is the number of the first line of the text.
  std::string rejects(const CsvReasons& given, std::span<const u64> unlabelled, u64 line) const;

  u64 consumed = 0;            // bytes read
  bool full = false;           // whether a limit was reached, and more may follow
  std::vector<u64> begins;     // of each record that is well formed
  std::vector<u64> ends;       // of each, the line end left out
  std::vector<Texts> columns;  // the wanted columns, in the order asked for
  std::vector<BadRecord> bad;

 private:
  enum class Found { kRecord, kBad, kCut };
  // Nothing read yet, from `begin` of the text on.
  CsvRecords(const CsvRecords& whole, const u8* begin);
  // Reads on until a record begins at `stop` or behind it. Returns whether there may be more.
  bool read_until(const u8* stop);
  void read_chunks(unsigned threads);
  bool begins_at(u64 at) const;
  // Takes over what another has found from a place on, where a record begins.
  void append(CsvRecords&& other, u64 from);
  Found read(const u8* p);
  Found read_quoted(const u8* p, const u8*& q);
  Found read_plain(const u8*& q);
  Found reject(u32 kind, const u8* p, const u8* from, const u8* at);
  void keep(const u8* begin, const u8* end, bool escaped);
  Text unescaped(const u8* begin, const u8* end);
  void take(const u8* p);
  const u8* line_end(const u8* from);
  bool is_ascii_to(const u8* end);

  const u8 *const begin_, *const end_;
  const bool final_;
  bool ascii_ = true;  // whether the bytes before looked_at_ are ASCII
  const u8* looked_at_ = begin_;
  const CsvDialect dialect_;
  const CsvLimits limits_;
  std::vector<u32> wanted_;   // index of each column among the wanted, or kNotWanted
  std::vector<Text> fields_;  // wanted fields of the current record
  std::vector<std::unique_ptr<u8[]>> escaped_;  // fields without their doubled quotes, many in one
  u8* room_ = nullptr;                          // in the last of these, for the next field
  size_t left_ = 0;                             // bytes of it
  const u8* line_end_ = nullptr;                // the line end that was last searched for
  u32 found_ = 0;                               // fields of the current record
  bool more_ = false;                           // whether another field follows
  const u8 *stop_ = nullptr, *next_ = nullptr;  // where it ends, and where the next begins
};

}  // namespace nabi
