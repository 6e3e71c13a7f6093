// Texts: a batch of strings in place, and their conversion to UTF-8.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "unicode/utf8.h"

namespace nabi {

struct Text {
  // kUtf8: bytes that were not checked yet; kValid: well-formed UTF-8.
  enum Kind : u8 { kMissing, kAscii, kLatin1, kUcs2, kUcs4, kUtf8, kValid };
  const void* data = nullptr;
  size_t size = 0;  // in units of the kind
  Kind kind = kMissing;

  size_t bytes() const { return kind == kUcs4 ? size * 4 : kind == kUcs2 ? size * 2 : size; }
  // Fetches its beginning while another text is worked on: it may lie anywhere in memory. What
  // follows is read in order, which the processor foresees.
  NABI_HOT void prefetch() const {
    constexpr size_t kLine = 64, kLines = 16;
    const char* const p = static_cast<const char*>(data);
    const size_t n = std::min(bytes(), kLines * kLine);
    for (size_t i = 0; i < n; i += kLine) __builtin_prefetch(p + i);
  }
};

// Whether a text may hold an HTML entity: an ampersand, and a semicolon not far behind it.
bool may_hold_entity(const Text& text);

class Stems;

struct Texts : std::vector<Text> {
  using std::vector<Text>::vector;
  std::shared_ptr<const Stems> stems;  // stems of words (vocabulary/stems.h); null: none
};

// Numbers of texts that were null, and that had invalid UTF-8.
struct Seen {
  u64 missing, repaired;
};

// Cuts a batch into pieces of about the same number of bytes, for threads to take one by one.
struct Pieces {
  std::vector<size_t> ends;  // the piece i is [ends[i - 1], ends[i])
};
template <class At>  // at(i): the i-th text in the order of the work
Pieces cut(size_t n, At at) {
  constexpr size_t kBytes = size_t{128} << 10, kTexts = 4096;
  Pieces pieces;
  size_t bytes = 0, begin = 0;
  for (size_t i = 0; i < n; ++i) {
    bytes += at(i).bytes();
    if (bytes >= kBytes || i + 1 - begin >= kTexts || i + 1 == n) {
      pieces.ends.push_back(i + 1);
      begin = i + 1;
      bytes = 0;
    }
  }
  return pieces;
}

// Converts texts to UTF-8, one after another; a result is valid until the next read. One per
// thread.
class TextReader {
 public:
  Utf8 read(const Text& text) {
    switch (text.kind) {
      case Text::kMissing:
        ++missing;
        return {nullptr, 0, true};
      case Text::kAscii:
        return {static_cast<const u8*>(text.data), text.size, true};
      case Text::kLatin1:
        return transcoded<u8>(text);
      case Text::kUcs2:
        return transcoded<u16>(text);
      case Text::kUcs4:
        return transcoded<u32>(text);
      case Text::kUtf8:
      case Text::kValid:
        break;
    }
    const u8* const data = static_cast<const u8*>(text.data);
    if (is_ascii(data, text.size)) return {data, text.size, true};
    if (text.kind == Text::kValid) return copied(data, text.size);
    size_t size;
    repaired += repair_utf8(data, text.size, buffer_, &size);
    return padded(size);
  }
  u64 missing = 0, repaired = 0;

 private:
  template <class Unit>
  Utf8 transcoded(const Text& text) {
    size_t size;
    repaired += transcode(static_cast<const Unit*>(text.data), text.size, buffer_, &size);
    return padded(size);
  }
  Utf8 copied(const u8* data, size_t size) {
    if (buffer_.size() < size + kPadding) buffer_.resize(size + kPadding);
    std::memcpy(buffer_.data(), data, size);
    return padded(size);
  }
  Utf8 padded(size_t size) {
    std::memset(buffer_.data() + size, 0, kPadding);
    return {buffer_.data(), size, false};
  }
  std::vector<u8> buffer_;
};

}  // namespace nabi
