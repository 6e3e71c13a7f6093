// The ASCII scan, compiled with AVX2; called only where the machine has it.
#include "tokenize/ascii.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace nabi {
namespace {

struct V {
  static constexpr int kBytes = 32;
  __m256i v;
  static V load(const u8* p) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))}; }
  void store(u8* p) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
  static V spread(u8 b) { return {_mm256_set1_epi8(char(b))}; }
};
inline V operator|(V a, V b) { return {_mm256_or_si256(a.v, b.v)}; }
inline V operator&(V a, V b) { return {_mm256_and_si256(a.v, b.v)}; }
inline V equal(V x, u8 b) { return {_mm256_cmpeq_epi8(x.v, V::spread(b).v)}; }
inline V in_range(V x, u8 lo, u8 width) {
  const __m256i t = _mm256_sub_epi8(x.v, V::spread(lo).v);
  return {_mm256_cmpeq_epi8(_mm256_min_epu8(t, V::spread(width).v), t)};
}
inline u32 bits(V x) { return u32(_mm256_movemask_epi8(x.v)); }

#include "tokenize/ascii_scan.inc"

}  // namespace

void scan_ascii_avx2(const u8* in, size_t n, u8* out, u64* token, u64* apostrophe, bool lower,
                     Mask mask) {
  scan_any(in, n, out, token, apostrophe, lower, mask);
}

}  // namespace nabi
#endif
