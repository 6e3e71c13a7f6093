// Loops over the bounds of all classes, for any machine.
#include "score/bound_rows.h"

namespace nabi {
namespace {

#include "score/bound_rows.inc"

}  // namespace

const BoundRows& BoundRows::plain() { return kLoops; }

const BoundRows& BoundRows::here() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return avx2();
#endif
  return plain();
}

}  // namespace nabi
