// The random seed of hash tables.
#include "vocabulary/hash.h"

#include <random>

namespace nabi {

TableSeed draw_seed() {
  std::random_device device;
  const auto draw = [&] { return u64{device()} << 32 | device(); };
  return {draw(), draw()};
}

}  // namespace nabi
