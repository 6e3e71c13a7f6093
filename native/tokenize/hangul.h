// Runs of Hangul in a text, for character n-grams.
#pragma once

#include "unicode/code_point.h"

namespace nabi {

// Whether a byte of the text can begin a letter of Hangul. Texts of most scripts have no such byte.
bool may_have_hangul(Utf8 text);

// The end of the run of Hangul letters and their marks at p; p itself where none begins.
const u8* hangul_end(const u8* p, const u8* end);

}  // namespace nabi
