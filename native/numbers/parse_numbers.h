// Parsing numbers in texts, such as the columns of a CSV file.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "unicode/texts.h"

namespace nabi {

// A column of texts as numbers; blank and missing ones are NaN, and so is "nan".
struct ParsedNumbers {
  std::vector<double> values;
  std::vector<u8> bad;  // 1 where a text is no finite number
  bool whole = true;    // none has a point or an exponent
  bool padded = false;  // one has zeros before it, as names have: 007
};

ParsedNumbers numbers_of(const Texts& texts);

// The number that some bytes are, white space at their edges left out: decimal, finite, perhaps
// with a sign, a point and an exponent.
struct Number {
  double value;
  bool whole, padded;
};
std::optional<Number> parse_number(std::span<const u8> bytes);

}  // namespace nabi
