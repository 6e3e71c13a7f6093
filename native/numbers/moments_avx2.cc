// Adding four columns at a time to bins, compiled with AVX2; called only where the machine has it.
#include "numbers/moments_avx2.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace nabi {
namespace {

constexpr size_t kAhead = 6;  // rows to fetch before they are needed

NABI_HOT void add_to(SplitBin& bin, __m256i sums) {
  __m256i* const p = reinterpret_cast<__m256i*>(&bin);
  _mm256_store_si256(p, _mm256_add_epi64(_mm256_load_si256(p), sums));
}

// Adds four values of neighbouring columns; returns a mask of those that are no finite numbers.
NABI_HOT __m256i add_four(const double* x, size_t width, SplitBin* bins, u8* touched) {
  // Not global: those would be made before it is known whether the machine has AVX2.
  const __m256i fraction = _mm256_set1_epi64x((int64_t{1} << 52) - 1);
  const __m256i implicit = _mm256_set1_epi64x(int64_t{1} << 52);
  const __m256i top = _mm256_set1_epi64x(int64_t{2047} << 52);
  const __m256i low = _mm256_set1_epi64x((1 << 27) - 1);
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x));
  const __m256i exponent = _mm256_and_si256(bits, top);
  const __m256i none = _mm256_cmpeq_epi64(exponent, _mm256_setzero_si256());
  const __m256i m =
      _mm256_or_si256(_mm256_and_si256(bits, fraction), _mm256_andnot_si256(none, implicit));
  const __m256i a = _mm256_srli_epi64(m, 27), b = _mm256_and_si256(m, low);
  const __m256i aa = _mm256_mul_epu32(a, a), ab = _mm256_mul_epu32(a, b),
                bb = _mm256_mul_epu32(b, b);
  // From one vector for each sum to one for each column.
  const __m256i left0 = _mm256_unpacklo_epi64(aa, ab), left1 = _mm256_unpackhi_epi64(aa, ab);
  const __m256i right0 = _mm256_unpacklo_epi64(bb, m), right1 = _mm256_unpackhi_epi64(bb, m);
  const auto sign = [&](int i) {
    u16 high;
    std::memcpy(&high, reinterpret_cast<const u8*>(x + i) + 6, sizeof high);
    return size_t{high} >> 4;
  };
  const size_t s0 = sign(0), s1 = sign(1), s2 = sign(2), s3 = sign(3);
  touched[s0] = touched[s1] = touched[s2] = touched[s3] = 1;
  add_to(bins[s0 * width], _mm256_permute2x128_si256(left0, right0, 0x20));
  add_to(bins[s1 * width + 1], _mm256_permute2x128_si256(left1, right1, 0x20));
  add_to(bins[s2 * width + 2], _mm256_permute2x128_si256(left0, right0, 0x31));
  add_to(bins[s3 * width + 3], _mm256_permute2x128_si256(left1, right1, 0x31));
  return _mm256_cmpeq_epi64(exponent, top);
}

}  // namespace

bool add_split_avx2(const SplitRows& rows, size_t lanes, size_t width, SplitBin* bins,
                    u8* touched) {
  const auto row = [&](size_t i) {
    return rows.values + (rows.order ? rows.order[i] : i) * rows.step;
  };
  __m256i odd = _mm256_setzero_si256();
  for (size_t i = rows.begin; i < rows.end; ++i) {
    const double* const x = row(i);
    if (i + kAhead < rows.end)
      for (size_t c = 0; c < lanes; c += 8) prefetch(row(i + kAhead), c);
    for (size_t c = 0; c < lanes; c += kSplitLanes)
      odd = _mm256_or_si256(odd, add_four(x + c, width, bins + c, touched));
  }
  return !_mm256_testz_si256(odd, odd);
}

}  // namespace nabi
#endif
