// Repair of invalid UTF-8.
#include "unicode/utf8.h"

namespace nabi {

bool repair_utf8(const u8* p, size_t n, std::vector<u8>& out, size_t* size) {
  // A part of one byte becomes three, so the worst case is 3 n.
  bool repaired = false;
  const u8* const end = p + n;
  if (out.size() < n + kPadding) out.resize(n + kPadding);
  size_t o = 0;
  while (p < end) {
    u32 bad;
    const u32 good = well_formed(p, end, &bad);
    if (out.size() < o + size_t(end - p) + kPadding + 4) out.resize(out.size() * 2 + kPadding);
    if (good) {
      for (u32 i = 0; i < good; ++i) out[o++] = p[i];
      p += good;
    } else {
      repaired = true;
      o += encode(0xFFFD, &out[o]);
      p += bad;
    }
  }
  *size = o;
  return repaired;
}

}  // namespace nabi
