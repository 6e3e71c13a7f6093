// Fuzz target: BLAKE3 side by side, with AVX2 and with baseline vectors, is that of the
// specification.
#include "vocabulary/fingerprints.h"

#include <array>

#include "fuzz/fuzz.h"

using namespace nabi;

namespace {

using Words = std::array<u32, 8>;
constexpr Words kStart = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                          0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};

void mix(u32* v, const int* at, u32 x, u32 y) {
  const auto rotated = [](u32 word, int n) { return word >> n | word << (32 - n); };
  u32 &a = v[at[0]], &b = v[at[1]], &c = v[at[2]], &d = v[at[3]];
  a += b + x, d = rotated(d ^ a, 16), c += d, b = rotated(b ^ c, 12);
  a += b + y, d = rotated(d ^ a, 8), c += d, b = rotated(b ^ c, 7);
}

Words compressed(const Words& state, const u8* block, u32 chunk, u32 size, u32 flags) {
  static constexpr int kPlaces[8][4] = {{0, 4, 8, 12},  {1, 5, 9, 13},  {2, 6, 10, 14},
                                        {3, 7, 11, 15}, {0, 5, 10, 15}, {1, 6, 11, 12},
                                        {2, 7, 8, 13},  {3, 4, 9, 14}};
  static constexpr int kOrder[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
  u32 v[16], m[16], next[16];
  std::memcpy(m, block, sizeof m);
  std::copy(state.begin(), state.end(), v);
  std::copy_n(kStart.begin(), 4, v + 8);
  v[12] = chunk, v[13] = 0, v[14] = size, v[15] = flags;
  for (int round = 0; round < 7; ++round) {
    for (int i = 0; i < 8; ++i) mix(v, kPlaces[i], m[2 * i], m[2 * i + 1]);
    for (int i = 0; i < 16; ++i) next[i] = m[kOrder[i]];
    std::copy_n(next, 16, m);
  }
  Words out;
  for (size_t i = 0; i < 8; ++i) out[i] = v[i] ^ v[i + 8];
  return out;
}

// The left half of a tree has a power of two of chunks, as many as leave some for the right.
Words tree(std::span<const u8> data, u32 first, u32 root) {
  u8 block[64];
  if (data.size() > 1024) {
    size_t left = 1024;
    while (2 * left < data.size()) left *= 2;
    const Words halves[] = {tree(data.first(left), first, 0),
                            tree(data.subspan(left), first + u32(left / 1024), 0)};
    std::memcpy(block, halves, sizeof block);
    return compressed(kStart, block, 0, 64, 4 | root);
  }
  Words state = kStart;
  for (size_t i = 0; i == 0 || i < data.size(); i += 64) {
    const size_t size = std::min<size_t>(64, data.size() - i);
    std::memset(block, 0, sizeof block);
    if (size) std::memcpy(block, data.data() + i, size);
    state = compressed(state, block, first, u32(size),
                       (i ? 0 : 1) | (i + 64 < data.size() ? 0 : 2 | root));
  }
  return state;
}

// Texts of all kinds, some long, in any order and on several threads: as each alone.
void check_texts(fuzz::Input& given) {
  const fuzz::AnyTexts any(given, Recipe{});
  const auto kind = Fingerprint(given.below(3));
  const size_t words = words_of(kind);
  const std::vector<u64> all = fingerprints(any.texts, kind, 1 + given.below(3));
  CHECK(all.size() == any.texts.size() * words);
  for (size_t i = 0; i < any.texts.size(); ++i) {
    const std::vector<u64> alone = fingerprints({any.texts[i]}, kind, 1);
    CHECK(std::equal(alone.begin(), alone.end(), all.begin() + ptrdiff_t(i * words)));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input given(data, size);
  std::vector<std::vector<u8>> bytes;
  for (u32 n = given.below(24); n; --n) {
    bytes.push_back(given.take(given.below(200)));
    if (given.below(16) == 0) bytes.back().resize(given.below(9000), given.byte());
  }
  std::vector<std::span<const u8>> inputs(bytes.begin(), bytes.end());
  std::vector<Digest> digests(inputs.size());
  Blake3 wide, baseline(false);
  for (int again = 0; again < 4; ++again) {
    (again < 2 ? wide : baseline).run(inputs, digests.data());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Words expected = tree(inputs[i], 0, 8);
      CHECK(!std::memcmp(&digests[i], &expected, sizeof(Digest)));
    }
    std::reverse(inputs.begin(), inputs.end());
  }
  check_texts(given);
  return 0;
}
