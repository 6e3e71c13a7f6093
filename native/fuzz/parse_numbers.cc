// Fuzz target: parsed numbers equal those of the C library, and what is refused is not a number.
#include "numbers/parse_numbers.h"

#include <cmath>
#include <string>

#include "fuzz/fuzz.h"

using namespace nabi;

namespace {

bool is_space(u8 c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// [+-]digits[.digits][e[+-]digits], with a digit before or after the point.
bool looks_like_one(const std::string& text) {
  size_t i = 0, digits = 0;
  const auto eat = [&] {
    const size_t start = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i - start;
  };
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  digits += eat();
  if (i < text.size() && text[i] == '.') ++i, digits += eat();
  if (!digits) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (!eat()) return false;
  }
  return i == text.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input given(data, size);
  static constexpr char kLetters[] = "0123456789+-.eE 019";
  std::vector<u8> bytes;
  const bool plain = given.flag();
  for (u32 n = given.below(40); n > 0; --n)
    bytes.push_back(plain ? u8(kLetters[given.below(sizeof kLetters - 1)]) : u8(given.below(256)));
  std::string text(bytes.begin(), bytes.end());
  while (!text.empty() && is_space(u8(text.back()))) text.pop_back();
  size_t start = 0;
  while (start < text.size() && is_space(u8(text[start]))) ++start;
  text.erase(0, start);

  const std::optional<Number> number = parse_number(bytes);
  const bool like = looks_like_one(text);
  CHECK(!number || like);
  if (like) {
    const double wanted = std::strtod(text.c_str(), nullptr);
    CHECK(number.has_value() == std::isfinite(wanted));
    CHECK(!number || number->value == wanted || std::fpclassify(wanted) == FP_SUBNORMAL);
    const bool whole = text.find_first_of(".eE") == std::string::npos;
    CHECK(!number || number->whole == whole);
  }
  return 0;
}
