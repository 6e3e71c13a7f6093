// Gaussian sums of squares, compiled with AVX2; called only where the machine has it.
#include "numbers/gaussian.h"

#if defined(__x86_64__)

namespace nabi {
namespace {

#include "numbers/gaussian_squares.inc"

}  // namespace

void standard_squares_avx2(const NumberTable<float>& x, const Gaussians& g, size_t begin,
                           size_t end, double* out) {
  squares_of(x, g, begin, end, out);
}
void standard_squares_avx2(const NumberTable<double>& x, const Gaussians& g, size_t begin,
                           size_t end, double* out) {
  squares_of(x, g, begin, end, out);
}

}  // namespace nabi
#endif
