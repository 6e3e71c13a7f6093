// Repair of invalid UTF-8, and texts that may hold an HTML entity.
#include "unicode/utf8.h"

#include <algorithm>
#include <cstring>

#include "unicode/texts.h"

namespace nabi {

namespace {

constexpr size_t kLongestEntity = 40;  // units from & to ;

template <class Unit>
const Unit* find(const Unit* begin, const Unit* end, Unit unit) {
  if constexpr (sizeof(Unit) == 1) {
    const void* const found = std::memchr(begin, unit, size_t(end - begin));
    return found ? static_cast<const Unit*>(found) : end;
  } else {
    return std::find(begin, end, unit);
  }
}

template <class Unit>
bool may_hold_entity(const void* data, size_t size) {
  const Unit* p = static_cast<const Unit*>(data);
  const Unit* const end = p + size;
  while (p < end && (p = find(p, end, Unit('&'))) < end) {
    const Unit* const last = p + std::min(kLongestEntity, size_t(end - p));
    if (find(++p, last, Unit(';')) < last) return true;
  }
  return false;
}

}  // namespace

bool may_hold_entity(const Text& text) {
  switch (text.kind) {
    case Text::kMissing:
      return false;
    case Text::kUcs2:
      return may_hold_entity<u16>(text.data, text.size);
    case Text::kUcs4:
      return may_hold_entity<u32>(text.data, text.size);
    default:
      return may_hold_entity<u8>(text.data, text.size);
  }
}

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
