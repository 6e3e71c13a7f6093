// Loops over the bounds of all classes, by AVX2 where the machine has it. `width` is a multiple of
// kBlock.
#pragma once

#include "platform/types.h"

namespace nabi {

struct BoundRows {
  static constexpr size_t kBlock = 128;  // classes whose greatest bound is noted
  static constexpr u16 kStart = 32'767;  // of the class with the greatest bias

  static const BoundRows& here();
  static const BoundRows& plain();  // on any machine
  static const BoundRows& avx2();

  // steps[i] += row[i]
  void (*add_row)(const u8* row, size_t width, u16* steps);
  // sums[i] += steps[i]
  void (*add_steps)(const u16* steps, size_t width, u32* sums);
  // The greatest value of each block. Returns the greatest of all.
  u32 (*tops_of_steps)(const u16* values, size_t width, u32* tops);
  u32 (*tops_of_sums)(const u32* values, size_t width, u32* tops);
  // steps[i] = kStart less the distance of bias[i] + n slope[i] from the greatest of them, in steps
  // of 1 / scale, rounded up and not below 0. Returns the greatest.
  double (*start)(const double* bias, const double* slope, size_t width, double n, double scale,
                  u16* steps);
};

}  // namespace nabi
