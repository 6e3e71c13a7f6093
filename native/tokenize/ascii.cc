// The ASCII scan with baseline vectors (SSE2, NEON or none), and the choice of AVX2 at run time.
#include "tokenize/ascii.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace nabi {
namespace {

#if defined(__x86_64__)

struct V {
  static constexpr int kBytes = 16;
  __m128i v;
  static V load(const u8* p) { return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))}; }
  void store(u8* p) const { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v); }
  static V spread(u8 b) { return {_mm_set1_epi8(char(b))}; }
};
inline V operator|(V a, V b) { return {_mm_or_si128(a.v, b.v)}; }
inline V operator&(V a, V b) { return {_mm_and_si128(a.v, b.v)}; }
inline V equal(V x, u8 b) { return {_mm_cmpeq_epi8(x.v, V::spread(b).v)}; }
inline V in_range(V x, u8 lo, u8 width) {
  const __m128i t = _mm_sub_epi8(x.v, V::spread(lo).v);
  return {_mm_cmpeq_epi8(_mm_min_epu8(t, V::spread(width).v), t)};
}
inline u32 bits(V x) { return u32(_mm_movemask_epi8(x.v)); }

#elif defined(__aarch64__)

struct V {
  static constexpr int kBytes = 16;
  uint8x16_t v;
  static V load(const u8* p) { return {vld1q_u8(p)}; }
  void store(u8* p) const { vst1q_u8(p, v); }
  static V spread(u8 b) { return {vdupq_n_u8(b)}; }
};
inline V operator|(V a, V b) { return {vorrq_u8(a.v, b.v)}; }
inline V operator&(V a, V b) { return {vandq_u8(a.v, b.v)}; }
inline V equal(V x, u8 b) { return {vceqq_u8(x.v, vdupq_n_u8(b))}; }
inline V in_range(V x, u8 lo, u8 width) {
  return {vcleq_u8(vsubq_u8(x.v, vdupq_n_u8(lo)), vdupq_n_u8(width))};
}
inline u32 bits(V x) {
  static const uint8x16_t place = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t high = vcltzq_s8(vreinterpretq_s8_u8(x.v));
  const uint8x16_t bit = vandq_u8(high, place);
  return u32(vaddv_u8(vget_low_u8(bit))) | u32(vaddv_u8(vget_high_u8(bit))) << 8;
}

#else

struct V {
  static constexpr int kBytes = 1;
  u8 v;
  static V load(const u8* p) { return {*p}; }
  void store(u8* p) const { *p = v; }
  static V spread(u8 b) { return {b}; }
};
inline V operator|(V a, V b) { return {u8(a.v | b.v)}; }
inline V operator&(V a, V b) { return {u8(a.v & b.v)}; }
inline V equal(V x, u8 b) { return {u8(x.v == b ? 0xFF : 0)}; }
inline V in_range(V x, u8 lo, u8 width) { return {u8(u8(x.v - lo) <= width ? 0xFF : 0)}; }
inline u32 bits(V x) { return x.v >> 7; }

#endif

#include "tokenize/ascii_scan.inc"

}  // namespace

#if defined(__x86_64__)
void scan_ascii_avx2(const u8* in, size_t n, u8* out, u64* token, u64* apostrophe, bool lower,
                     Mask mask);
#endif

Block scan_block(const u8* in, u8* out, bool lower, Mask mask) {
  if (mask == Mask::kWords)
    return lower ? scan_block_as<true, Mask::kWords>(in, out)
                 : scan_block_as<false, Mask::kWords>(in, out);
  return lower ? scan_block_as<true, Mask::kNonSpace>(in, out)
               : scan_block_as<false, Mask::kNonSpace>(in, out);
}

void scan_ascii(const u8* in, size_t n, u8* out, u64* token, u64* apostrophe, bool lower,
                Mask mask) {
#if defined(__x86_64__)
  static const bool avx2 = __builtin_cpu_supports("avx2");
  if (avx2) return scan_ascii_avx2(in, n, out, token, apostrophe, lower, mask);
#endif
  scan_any(in, n, out, token, apostrophe, lower, mask);
}

}  // namespace nabi
