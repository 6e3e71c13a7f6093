// Fixed point: counts and weights are integers in units of 2^-24, so that sums are exact.
#pragma once

#include "platform/types.h"

namespace nabi {

inline constexpr u64 kUnit = u64{1} << 24;  // a count, or a weight, of one

}  // namespace nabi
