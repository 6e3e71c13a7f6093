// List of negating words.
#include "tokenize/negation.h"

#include <algorithm>
#include <iterator>

namespace nabi {
namespace {

// Sorted.
constexpr std::string_view kNegators[] = {
    "aint",  "arent",   "cannot",  "cant",     "couldnt", "didnt",  "doesnt",  "dont", "hadnt",
    "hasnt", "havent",  "isnt",    "neither",  "never",   "no",     "nobody",  "none", "nor",
    "not",   "nothing", "nowhere", "shouldnt", "wasnt",   "werent", "without", "wont", "wouldnt",
};
constexpr size_t kLongestNegator = 8;

}  // namespace

bool is_negator(const u8* word, u32 size, bool lowercase) {
  const std::string_view given(reinterpret_cast<const char*>(word), size);
  const auto lower = [&](size_t i) {
    const char c = given[i];
    return lowercase || c < 'A' || c > 'Z' ? c : char(c | 0x20);
  };
  if (size >= 3 && lower(size - 3) == 'n' && given[size - 2] == '\'' && lower(size - 1) == 't')
    return true;
  if (size > kLongestNegator) return false;
  char buffer[kLongestNegator];
  for (size_t i = 0; i < size; ++i) buffer[i] = lower(i);
  return std::binary_search(std::begin(kNegators), std::end(kNegators),
                            std::string_view(buffer, size));
}

}  // namespace nabi
