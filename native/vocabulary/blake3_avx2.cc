// BLAKE3, compiled with AVX2; called only where the machine has it.
#include "vocabulary/blake3.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace nabi {
namespace {

#include "vocabulary/blake3_lanes.inc"

}  // namespace

void compress_avx2(std::span<const Blake3::Job> jobs) { compress_lanes(jobs); }

}  // namespace nabi
#endif
