// Fuzz target: any bytes and strings of any width become valid UTF-8, as in CPython.
#include "fuzz/fuzz.h"

using namespace nabi;

namespace {

using Codes = std::vector<u32>;

// By the definition: what a code point's bytes are is what encoding it gives.
bool is_code_point(const u8* p, size_t n) {
  u32 code = n == 1 ? p[0] : n == 2 ? p[0] & 0x1F : n == 3 ? p[0] & 0x0F : p[0] & 0x07;
  for (size_t i = 1; i < n; ++i) code = code << 6 | (p[i] & 0x3F);
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return false;
  u8 again[4];
  return encode(code, again) == n && std::memcmp(again, p, n) == 0;
}

// Whether some code point of several bytes starts with these n.
bool starts_one(const u8* p, size_t n) {
  for (size_t size = n + 1; size <= 4; ++size) {
    for (const u8 second : {0x80, 0x90, 0xA0}) {
      u8 whole[4] = {0, second, 0x80, 0x80};
      std::memcpy(whole, p, n);
      if (is_code_point(whole, size)) return true;
    }
  }
  return false;
}

// bytes.decode("utf-8", "replace"): one U+FFFD for the longest start of a code point, or a byte.
Codes decode_plainly(const std::vector<u8>& bytes, bool* repaired) {
  Codes out;
  *repaired = false;
  for (size_t i = 0; i < bytes.size();) {
    const u8* const p = &bytes[i];
    const size_t left = std::min<size_t>(4, bytes.size() - i);
    size_t size = 0;
    for (size_t n = 1; n <= left && !size; ++n) size = is_code_point(p, n) ? n : 0;
    if (size) {
      out.push_back(decode(p).code);
      i += size;
      continue;
    }
    *repaired = true;
    out.push_back(0xFFFD);
    size_t bad = 1;
    while (bad < left && starts_one(p, bad + 1)) ++bad;
    i += bad;
  }
  return out;
}

std::vector<u8> encode_all(const Codes& codes) {
  std::vector<u8> out;
  for (const u32 code : codes) {
    u8 bytes[4];
    const u32 n = encode(code, bytes);
    CHECK(is_code_point(bytes, n));
    out.insert(out.end(), bytes, bytes + n);
  }
  return out;
}

// Reads a text, with a reader that has read others before.
void check_read(TextReader& reader, const Text& text, const Codes& codes, bool repaired) {
  const std::vector<u8> expected = encode_all(codes);
  const u64 before = reader.repaired;
  const Utf8 utf8 = reader.read(text);
  CHECK(std::equal(expected.begin(), expected.end(), utf8.data, utf8.data + utf8.size));
  CHECK(reader.repaired == before + repaired);
  CHECK(!utf8.ascii || is_ascii(expected.data(), expected.size()));
  for (size_t i = 0; !utf8.ascii && i < kPadding; ++i) CHECK(utf8.data[utf8.size + i] == 0);
}

template <class Unit>
void check_units(TextReader& reader, const std::vector<u8>& bytes, Text::Kind kind) {
  std::vector<Unit> units(bytes.size() / sizeof(Unit));
  if (!units.empty()) std::memcpy(units.data(), bytes.data(), units.size() * sizeof(Unit));
  Codes codes;
  bool repaired = false;
  for (Unit& unit : units) {
    if (unit > 0x10FFFF) unit = Unit(unit % 0x110000);  // Python has no more
    const bool surrogate = unit >= 0xD800 && unit < 0xE000;
    codes.push_back(surrogate ? 0xFFFD : unit);
    repaired |= surrogate;
  }
  check_read(reader, {units.data(), units.size(), kind}, codes, repaired);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input given(data, size);
  const std::vector<u8> bytes = given.rest();
  bool repaired;
  const Codes codes = decode_plainly(bytes, &repaired);

  std::vector<u8> out;
  size_t out_size;
  CHECK(repair_utf8(bytes.data(), bytes.size(), out, &out_size) == repaired);
  const std::vector<u8> once(out.begin(), out.begin() + ptrdiff_t(out_size));
  CHECK(once == encode_all(codes));
  CHECK(!repair_utf8(once.data(), once.size(), out, &out_size));
  CHECK(std::equal(once.begin(), once.end(), out.begin(), out.begin() + ptrdiff_t(out_size)));

  TextReader reader;
  std::vector<u16> narrow(codes.begin(), codes.end());
  const bool fits = std::all_of(codes.begin(), codes.end(), [](u32 c) { return c < 0x10000; });
  for (int round = 0; round < 2; ++round) {
    check_read(reader, {bytes.data(), bytes.size(), Text::kUtf8}, codes, repaired);
    check_read(reader, {codes.data(), codes.size(), Text::kUcs4}, codes, false);
    if (fits) check_read(reader, {narrow.data(), narrow.size(), Text::kUcs2}, codes, false);
    check_units<u8>(reader, bytes, Text::kLatin1);
    check_units<u16>(reader, bytes, Text::kUcs2);
    check_units<u32>(reader, bytes, Text::kUcs4);
    const Utf8 missing = reader.read({});
    CHECK(missing.size == 0);
  }
  CHECK(reader.missing == 2);
  return 0;
}
