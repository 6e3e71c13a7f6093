// Negation: words after "not" are marked until the clause ends, as in "not NOT_good".
#pragma once

#include <string_view>

#include "platform/types.h"

namespace nabi {

inline constexpr std::string_view kNegationMark = "NOT_";

// Whether a word negates those behind it: "not", "never", any word that ends in "n't".
bool is_negator(const u8* word, u32 size, bool lowercase);

}  // namespace nabi
