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
  size_t o = 0;
  for (;;) {
    const u8* const valid = valid_until(p, end);
    const size_t whole = size_t(valid - p);
    if (out.size() < o + size_t(end - p) + kPadding + 4) out.resize(o + 2 * size_t(end - p) + 256);
    if (whole) std::memcpy(&out[o], p, whole);
    o += whole;
    if (valid == end) break;
    u32 bad;
    well_formed(valid, end, &bad);
    o += encode(0xFFFD, &out[o]);
    p = valid + bad;
    repaired = true;
  }
  *size = o;
  return repaired;
}

}  // namespace nabi
