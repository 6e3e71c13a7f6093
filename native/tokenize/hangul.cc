// Where a text may have Hangul, and where a run of it ends.
#include "tokenize/hangul.h"

namespace nabi {

bool may_have_hangul(Utf8 text) {
  if (text.ascii) return false;
  // First bytes of U+1000 to U+1FFF, U+3000 to U+3FFF, U+A000 to U+DFFF and U+F000 to U+FFFF.
  bool found = false;
  for (size_t i = 0; i < text.size; ++i) {
    const u8 b = text.data[i];
    found |= b == 0xE1 || b == 0xE3 || (b >= 0xEA && b <= 0xED) || b == 0xEF;
  }
  return found;
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
