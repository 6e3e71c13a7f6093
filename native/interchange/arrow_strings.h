// Strings of an Arrow array, read in place.
#pragma once

#include "interchange/arrow_abi.h"
#include "unicode/texts.h"

namespace nabi {

// Appends the strings of an array: utf8, large_utf8, string_view, null, a dictionary of them, or a
// table of one such column. They stay where they are: the array must outlive them.
// Throws std::invalid_argument where the array holds something else.
void append_arrow(const ArrowSchema& schema, const ArrowArray& array, Texts& texts);

}  // namespace nabi
