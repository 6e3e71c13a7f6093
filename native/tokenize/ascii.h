// ASCII fast path: lower-cases 64 bytes at a time, and classifies them into bit masks.
#pragma once

#include "platform/types.h"

namespace nabi {

enum class Mask : u8 {
  kWords,     // letters, digits and "_"
  kNonSpace,  // everything but white space as str.split() sees it
};

struct Block {
  u64 token;       // bytes that belong to a token
  u64 apostrophe;  // bytes that are '
  u64 high;        // bytes that are not ASCII; their other bits mean nothing
};

// Lower-cases (if asked) 64 bytes from `in` to `out` and returns their masks.
Block scan_block(const u8* in, u8* out, bool lower, Mask mask);

// Scans n ASCII bytes likewise: ceil(n / 64) words of token and apostrophe bits, bits past n are 0.
// `out` needs room for n rounded up to 64. Takes the widest vectors that this machine has.
void scan_ascii(const u8* in, size_t n, u8* out, u64* token, u64* apostrophe, bool lower,
                Mask mask);

}  // namespace nabi
