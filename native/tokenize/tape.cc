// Writing to the tape, and finding the edges of tokens in its bit mask.
#include "tokenize/tape.h"

#include <algorithm>
#include <stdexcept>

namespace nabi {

void Tape::reserve(size_t n) {
  if (n > UINT32_MAX - 4 * kPadding) throw std::length_error("a text of over 1 GiB: split it");
  if (bytes.size() < n + 2 * kPadding) bytes.resize(n + n / 4 + 2 * kPadding);
  const size_t words = (n + 2 * kPadding) / 64 + 2;
  if (token.size() < words) {
    token.resize(words + words / 4);
    apostrophe.resize(words + words / 4);
  }
  if (track_origin && origin.size() < bytes.size()) origin.resize(bytes.size());
  size = 0;
}

void Tape::clear(size_t n) {
  reserve(n);
  const size_t words = (n + 2 * kPadding) / 64 + 2;
  std::memset(token.data(), 0, words * sizeof(u64));
  std::memset(apostrophe.data(), 0, words * sizeof(u64));
}

void Tape::note(size_t n, size_t source, size_t last) {
  if (!track_origin) return;
  for (size_t i = 0; i < n; ++i) origin[size + i] = {u32(source), u32(last)};
}

void Tape::put(u32 code, bool in_token, size_t source) {
  const u32 n = encode(code, &bytes[size]);
  note(n, source, source);
  if (in_token) {
    const u64 bits = (u64{1} << n) - 1;
    const size_t at = size & 63;
    token[size >> 6] |= bits << at;
    if (at + n > 64) token[(size >> 6) + 1] |= bits >> (64 - at);
  }
  size += n;
}

void Tape::put_bytes(const u8* p, size_t n, size_t source, size_t last) {
  std::memcpy(&bytes[size], p, n);
  note(n, source, last);
  for (const size_t end = size + n; size < end;) {
    const size_t at = size & 63, some = std::min(end - size, 64 - at);
    token[size >> 6] |= (~u64{0} >> (64 - some)) << at;
    size += some;
  }
}

void Tape::put(const char* ascii, size_t source, size_t last) {
  separate(source);
  put_bytes(reinterpret_cast<const u8*>(ascii), std::strlen(ascii), source, last);
  separate(last);
}

void Tape::put_apostrophe(size_t source) {
  apostrophe[size >> 6] |= u64{1} << (size & 63);
  put('\'', false, source);
}

// The block's bytes are at bytes[size] already.
void Tape::append(const Block& block, size_t n, size_t source) {
  const u64 inside = n == 64 ? ~u64{0} : (u64{1} << n) - 1;
  const size_t at = size & 63, word = size >> 6;
  const auto write = [&](std::vector<u64>& mask, u64 bits) {
    mask[word] |= bits << at;
    if (at) mask[word + 1] |= bits >> (64 - at);
  };
  write(token, block.token & inside);
  write(apostrophe, block.apostrophe & inside);
  if (track_origin)
    for (size_t i = 0; i < n; ++i) origin[size + i] = {u32(source + i), u32(source + i)};
  size += n;
}

void Tape::keep(size_t begin, size_t end) {
  std::memmove(&bytes[size], &bytes[begin], end - begin);
  if (track_origin) std::memmove(&origin[size], &origin[begin], (end - begin) * sizeof(Origin));
  size += end - begin;
}

// Writes the numbers of the set bits, from `base` on, and returns how many there are. Bits are
// taken by eights, those that are missing too: a loop that ends with the last bit is mispredicted
// once for each mask. Up to 7 numbers behind the last are overwritten.
NABI_HOT size_t write_bits(u64 mask, u32 base, u32* out) {
  const size_t n = count_bits(mask);
  for (size_t i = 0; i < n; i += 8) {
    for (size_t j = i; j < i + 8; ++j) {
      out[j] = base + u32(__builtin_ctzll(mask | u64{1} << 63));
      mask &= mask - 1;
    }
  }
  return n;
}

NABI_HOT size_t TokenCursor::take(u32* edges) {
  size_t n = 0;
  if (kept_) edges[n++] = open_;
  kept_ = 0;
  u64 carry = carry_, carry_token = carry_token_;
  const u64* const token = tape_.token.data();
  const u64* const apostrophe = tape_.apostrophe.data();
  // A word of the mask has at most 64 edges; the mask's one word past the end closes the last.
  for (; at_ <= words_ && n + 64 <= kMost; ++at_) {
    u64 mask = at_ < words_ ? token[at_] : 0;
    if (tape_.joins && at_ < words_) {
      const u64 before = mask << 1 | carry_token;
      const u64 after = mask >> 1 | (token[at_ + 1] & 1) << 63;
      carry_token = mask >> 63;
      mask |= apostrophe[at_] & before & after;
    }
    n += write_bits(mask ^ (mask << 1 | carry), u32(at_ * 64), edges + n);
    carry = mask >> 63;
  }
  carry_ = carry;
  carry_token_ = carry_token;
  if (n & 1) {
    open_ = edges[--n];
    kept_ = 1;
  }
  return n;
}

#if defined(__x86_64__)
// With the instructions for single bits, where the machine has them.
__attribute__((target("bmi,popcnt"))) size_t TokenCursor::take_bmi(u32* edges) {
  return take(edges);
}
#endif

size_t TokenCursor::next(u32* edges) {
#if defined(__x86_64__)
  static const bool bmi = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
  if (bmi) return take_bmi(edges);
#endif
  return take(edges);
}

}  // namespace nabi
