// Where a text may have Hangul, and where a run of it ends.
#include "tokenize/hangul.h"

namespace nabi {

namespace {

// Whether a byte begins U+1000 to U+1FFF, U+3000 to U+3FFF, U+A000 to U+DFFF or U+F000 to U+FFFF.
bool may_begin_hangul(u8 b) {
  return b == 0xE1 || b == 0xE3 || (b >= 0xEA && b <= 0xED) || b == 0xEF;
}

}  // namespace

bool may_have_hangul(Utf8 text) {
  if (text.ascii) return false;
  // Eight bytes at a time: few texts have a byte of 0xE0 or more. Behind the text are zeros.
  for (size_t i = 0; i < text.size; i += 8) {
    const u64 w = load64(text.data + i);
    if (!(w & w << 1 & w << 2 & 0x8080808080808080ULL)) continue;
    for (size_t k = 0; k < 8; ++k)
      if (may_begin_hangul(u8(w >> 8 * k))) return true;
  }
  return false;
}

const u8* hangul_end(const u8* p, const u8* end) {
  bool inside = false;
  while (p < end) {
    const Decoded d = decode(p);
    if (!is_hangul(d.code) && !(inside && flags_of(d.code) & kMark)) break;
    inside = true;
    p += d.size;
  }
  return p;
}

}  // namespace nabi
