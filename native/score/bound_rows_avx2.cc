// Loops over the bounds of all classes, compiled with AVX2; called only where the machine has it.
#include "score/bound_rows.h"

#if defined(__x86_64__)

namespace nabi {
namespace {

#include "score/bound_rows.inc"

}  // namespace

const BoundRows& BoundRows::avx2() { return kLoops; }

}  // namespace nabi
#endif
