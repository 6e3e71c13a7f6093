#include "hash.h"

#include <random>

namespace nabi {

const TableSeed& table_seed() {
  static const TableSeed seed = [] {
    std::random_device device;
    const auto draw = [&] { return u64{device()} << 32 | device(); };
    return TableSeed{draw(), draw()};
  }();
  return seed;
}

}  // namespace nabi
