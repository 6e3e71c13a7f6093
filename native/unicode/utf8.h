// UTF-8: decoding, encoding, and repair of invalid bytes. All later steps may assume valid UTF-8.
#pragma once

#include <vector>

#include "platform/types.h"

namespace nabi {

// A text as UTF-8.
struct Utf8 {
  const u8* data;
  size_t size;
  bool ascii;  // known to be ASCII; otherwise valid UTF-8 with kPadding readable bytes after it
};

inline bool all_ascii8(const u8* p) { return (load64(p) & 0x8080808080808080ULL) == 0; }

inline bool is_ascii(const u8* p, size_t n) {
  size_t i = 0;
  u64 high = 0;
  for (; i + 64 <= n && !(high & 0x8080808080808080ULL); i += 64)
    for (size_t j = i; j < i + 64; j += 8) high |= load64(p + j);
  for (; i + 8 <= n; i += 8) high |= load64(p + i);
  for (; i < n; ++i) high |= u64{p[i]} << 56;
  return (high & 0x8080808080808080ULL) == 0;
}

struct Decoded {
  u32 code;
  u32 size;
};

// The code point at p, in valid UTF-8.
inline Decoded decode(const u8* p) {
  if (p[0] < 0x80) return {p[0], 1};
  if (p[0] < 0xE0) return {u32(p[0] & 0x1F) << 6 | (p[1] & 0x3F), 2};
  if (p[0] < 0xF0) return {u32(p[0] & 0x0F) << 12 | u32(p[1] & 0x3F) << 6 | (p[2] & 0x3F), 3};
  return {u32(p[0] & 0x07) << 18 | u32(p[1] & 0x3F) << 12 | u32(p[2] & 0x3F) << 6 | (p[3] & 0x3F),
          4};
}

// Writes the code point (up to 4 bytes) and returns its size.
inline u32 encode(u32 c, u8* out) {
  if (c < 0x80) {
    out[0] = u8(c);
    return 1;
  }
  if (c < 0x800) {
    out[0] = u8(0xC0 | c >> 6);
    out[1] = u8(0x80 | (c & 0x3F));
    return 2;
  }
  if (c < 0x10000) {
    out[0] = u8(0xE0 | c >> 12);
    out[1] = u8(0x80 | (c >> 6 & 0x3F));
    out[2] = u8(0x80 | (c & 0x3F));
    return 3;
  }
  out[0] = u8(0xF0 | c >> 18);
  out[1] = u8(0x80 | (c >> 12 & 0x3F));
  out[2] = u8(0x80 | (c >> 6 & 0x3F));
  out[3] = u8(0x80 | (c & 0x3F));
  return 4;
}

// Size of the well-formed code point at p; 0 if it is ill-formed. *bad is then the length of the
// ill-formed part that one U+FFFD replaces, as in CPython's "replace".
inline u32 well_formed(const u8* p, const u8* end, u32* bad) {
  const u8 b = p[0];
  *bad = 1;
  if (b < 0x80) return 1;
  if (b < 0xC2 || b > 0xF4) return 0;
  const u32 size = b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4;
  u8 lo = 0x80, hi = 0xBF;
  if (b == 0xE0) lo = 0xA0;
  if (b == 0xED) hi = 0x9F;
  if (b == 0xF0) lo = 0x90;
  if (b == 0xF4) hi = 0x8F;
  for (u32 i = 1; i < size; ++i) {
    if (p + i >= end || p[i] < lo || p[i] > hi) {
      *bad = i;
      return 0;
    }
    lo = 0x80;
    hi = 0xBF;
  }
  return size;
}

// The first byte that is ill-formed, or the end.
inline const u8* valid_until(const u8* p, const u8* end) {
  u32 bad;
  while (p < end) {
    while (end - p >= 32 &&
           !((load64(p) | load64(p + 8) | load64(p + 16) | load64(p + 24)) & 0x8080808080808080ULL))
      p += 32;
    while (end - p >= 8 && all_ascii8(p)) p += 8;
    if (p == end) break;
    const u32 size = well_formed(p, end, &bad);
    if (!size) return p;
    p += size;
  }
  return end;
}

// Copies n bytes to a padded buffer, with U+FFFD for each ill-formed part. Returns whether there
// was one.
bool repair_utf8(const u8* p, size_t n, std::vector<u8>& out, size_t* size);

// Converts a Python string's code units to padded UTF-8, with U+FFFD for each lone surrogate.
// Returns whether there was one.
template <class Unit>
bool transcode(const Unit* p, size_t n, std::vector<u8>& out, size_t* size) {
  const size_t widest = sizeof(Unit) == 1 ? 2 : sizeof(Unit) == 2 ? 3 : 4;
  if (out.size() < n * widest + kPadding) out.resize(n * widest + kPadding);
  bool repaired = false;
  u8* o = out.data();
  for (size_t i = 0; i < n; ++i) {
    u32 c = p[i];
    if (c < 0x80) {
      *o++ = u8(c);
      continue;
    }
    if (sizeof(Unit) > 1 && c - 0xD800u < 0x800u) {
      c = 0xFFFD;
      repaired = true;
    }
    o += encode(c, o);
  }
  *size = size_t(o - out.data());
  return repaired;
}

}  // namespace nabi
