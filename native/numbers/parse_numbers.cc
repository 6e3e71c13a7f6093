// Decimal numbers by std::from_chars, read as Python reads them.
#include "numbers/parse_numbers.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace nabi {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Chars {
  const char *begin, *end;
  bool empty() const { return begin == end; }
};

Chars stripped(std::span<const u8> bytes) {
  const char* begin = reinterpret_cast<const char*>(bytes.data());
  const char* end = begin + bytes.size();
  while (begin < end && is_space(*begin)) ++begin;
  while (begin < end && is_space(end[-1])) --end;
  return {begin, end};
}

// Whether a number that is no double is too large rather than too small.
bool beyond(Chars text) {
  const char* p = text.begin + (*text.begin == '-');
  long place = 0;  // of the first digit that is not 0: 1 before the point, 0 after it
  bool found = false, point = false;
  for (; p < text.end && (is_digit(*p) || *p == '.'); ++p) {
    if (*p == '.')
      point = true;
    else if (!point && (found || *p != '0'))
      found = true, ++place;
    else if (point && !found)
      *p == '0' ? void(--place) : void(found = true);
  }
  if (p == text.end) return place > 0;
  const bool negative = p + 1 < text.end && p[1] == '-';
  long power = 0;
  for (++p; p < text.end; ++p)
    if (is_digit(*p) && power < 1'000'000'000) power = 10 * power + (*p - '0');
  return place + (negative ? -power : power) > 0;
}

std::optional<Number> small() { return Number{0.0, false, false}; }

std::optional<Number> parsed(Chars text) {
  if (!text.empty() && *text.begin == '+') {
    ++text.begin;
    if (!text.empty() && *text.begin == '-') return {};
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.begin, text.end, value);
  if (end != text.end) return {};
  // Too small a number is 0, as Python reads it; too large a one is none.
  if (error == std::errc::result_out_of_range) return beyond(text) ? std::nullopt : small();
  if (error != std::errc{} || !std::isfinite(value)) return {};
  const char* p = text.begin + (*text.begin == '-');
  while (p < text.end && is_digit(*p)) ++p;
  const char* const first = text.begin + (*text.begin == '-');
  const bool padded = text.end - first > 1 && first[0] == '0' && is_digit(first[1]);
  return Number{value, p == text.end, padded};
}

bool is_nan(Chars text) {
  const auto is = [&](int i, char c) { return (text.begin[i] | 0x20) == c; };
  return text.end - text.begin == 3 && is(0, 'n') && is(1, 'a') && is(2, 'n');
}

}  // namespace

std::optional<Number> parse_number(std::span<const u8> bytes) { return parsed(stripped(bytes)); }

ParsedNumbers numbers_of(const Texts& texts) {
  ParsedNumbers out;
  out.values.reserve(texts.size());
  out.bad.reserve(texts.size());
  TextReader reader;
  for (const Text& text : texts) {
    const Utf8 utf8 = reader.read(text);
    const Chars chars = stripped({utf8.data, utf8.size});
    const bool none = chars.empty() || is_nan(chars);
    const std::optional<Number> number = none ? std::nullopt : parsed(chars);
    out.values.push_back(number ? number->value : std::numeric_limits<double>::quiet_NaN());
    out.bad.push_back(!number && !none);
    out.whole = out.whole && (!number || number->whole);
    out.padded = out.padded || (number && number->padded);
  }
  return out;
}

}  // namespace nabi
