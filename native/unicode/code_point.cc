// The final-sigma rule of Greek lower case.
#include "unicode/code_point.h"

namespace nabi {
namespace {

const u8* step_back(const u8* p) {
  do --p;
  while ((*p & 0xC0) == 0x80);
  return p;
}

}  // namespace

bool is_final_sigma(const u8* begin, const u8* p, const u8* end) {
  const u8* q = p;
  u8 before = kIgnorable;
  while (q > begin && before & kIgnorable) before = flags_of(decode(q = step_back(q)).code);
  if (before & kIgnorable || !(before & kCased)) return false;
  for (q = p + 2; q < end;) {
    const Decoded d = decode(q);
    const u8 after = flags_of(d.code);
    if (!(after & kIgnorable)) return !(after & kCased);
    q += d.size;
  }
  return true;
}

}  // namespace nabi
