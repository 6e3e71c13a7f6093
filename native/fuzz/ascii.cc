// Fuzz target: the ASCII scan with AVX2, with baseline vectors, and byte by byte gives equal masks.
#include "tokenize/ascii.h"

#include "fuzz/fuzz.h"

using namespace nabi;

namespace {

bool is_letter(u8 b) { return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z'); }
bool is_space(u8 b) { return (b >= '\t' && b <= '\r') || (b >= 0x1C && b <= ' '); }

struct Scanned {
  std::vector<u8> out;
  std::vector<u64> token, apostrophe;

  explicit Scanned(size_t n)
      : out((n + 63) / 64 * 64), token((n + 63) / 64), apostrophe((n + 63) / 64) {}
  bool same(const Scanned& other, size_t n) const {
    return std::equal(out.begin(), out.begin() + ptrdiff_t(n), other.out.begin()) &&
           token == other.token && apostrophe == other.apostrophe;
  }
};

Scanned plain(const std::vector<u8>& in, bool lower, Mask mask) {
  Scanned s(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    const u8 b = in[i];
    s.out[i] = lower && b >= 'A' && b <= 'Z' ? u8(b + 32) : b;
    const bool word = is_letter(b) || (b >= '0' && b <= '9') || b == '_';
    const bool token = mask == Mask::kWords ? word : !is_space(b);
    s.token[i / 64] |= u64{token} << i % 64;
    s.apostrophe[i / 64] |= u64{mask == Mask::kWords && b == '\''} << i % 64;
  }
  return s;
}

Scanned by_blocks(const std::vector<u8>& in, bool lower, Mask mask) {
  Scanned s(in.size());
  std::vector<u8> padded = in;
  padded.resize(s.out.size(), 'x');
  for (size_t i = 0; i < in.size(); i += 64) {
    const Block block = scan_block(&padded[i], &s.out[i], lower, mask);
    const u64 inside = in.size() - i < 64 ? (u64{1} << (in.size() - i)) - 1 : ~u64{0};
    CHECK(!block.high);
    s.token[i / 64] = block.token & inside;
    s.apostrophe[i / 64] = block.apostrophe & inside;
  }
  return s;
}

// Bytes of any kind: those that are not ASCII are seen, and the others classified all the same.
void check_mixed(const std::vector<u8>& in, bool lower, Mask mask) {
  std::vector<u8> block_in = in;
  block_in.resize(64, 'x');
  std::vector<u8> out(64);
  const Block block = scan_block(block_in.data(), out.data(), lower, mask);
  for (size_t i = 0; i < 64; ++i) {
    const u8 b = block_in[i];
    CHECK((block.high >> i & 1) == (b >= 0x80));
    if (b >= 0x80) continue;
    const Scanned one = plain({b}, lower, mask);
    CHECK(out[i] == one.out[0]);
    CHECK((block.token >> i & 1) == one.token[0]);
    CHECK((block.apostrophe >> i & 1) == one.apostrophe[0]);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input given(data, size);
  const bool lower = given.flag();
  const Mask mask = given.flag() ? Mask::kWords : Mask::kNonSpace;
  given.take(given.below(16));  // text starts anywhere in a vector
  std::vector<u8> in = given.rest();
  check_mixed(in, lower, mask);
  CHECK(is_ascii(in.data(), in.size()) ==
        std::all_of(in.begin(), in.end(), [](u8 b) { return b < 0x80; }));
  for (u8& b : in) b &= 0x7F;

  Scanned wide(in.size());
  scan_ascii(in.data(), in.size(), wide.out.data(), wide.token.data(), wide.apostrophe.data(),
             lower, mask);
  const Scanned expected = plain(in, lower, mask);
  CHECK(wide.same(expected, in.size()));
  CHECK(by_blocks(in, lower, mask).same(expected, in.size()));
  return 0;
}
