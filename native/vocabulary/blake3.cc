// The tree of BLAKE3, and the choice of AVX2 at run time.
#include "vocabulary/blake3.h"

#include <algorithm>
#include <utility>

namespace nabi {
namespace {

#include "vocabulary/blake3_lanes.inc"

constexpr size_t kChunk = 1024;
constexpr u32 kChunkStart = 1, kChunkEnd = 2, kParent = 4, kRoot = 8;  // flags of blocks

}  // namespace

#if defined(__x86_64__)
void compress_avx2(std::span<const Blake3::Job> jobs);
#endif

void Blake3::compress() const {
#if defined(__x86_64__)
  static const bool avx2 = __builtin_cpu_supports("avx2");
  if (avx2_ && avx2) return compress_avx2(jobs_);
#endif
  compress_lanes(jobs_);
}

// A node for each chunk of each input.
void Blake3::start(std::span<const std::span<const u8>> inputs) {
  jobs_.clear();
  trees_.clear();
  size_t begin = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const size_t size = inputs[i].size(), count = std::max<size_t>(1, (size + kChunk - 1) / kChunk);
    for (size_t c = 0; c < count; ++c)
      jobs_.push_back({inputs[i].data() + c * kChunk, std::min(kChunk, size - c * kChunk), u32(c),
                       kChunkStart, kChunkEnd | (count == 1 ? kRoot : 0), nullptr});
    trees_.push_back({i, begin, count});
    begin += count;
  }
  nodes_.resize(begin);
  for (size_t i = 0; i < begin; ++i) jobs_[i].out = &nodes_[i];
  compress();
}

// A node for every two neighbours of a tree; the last one of an odd number goes up as it is.
void Blake3::join() {
  jobs_.clear();
  size_t size = 0;
  for (const Tree& tree : trees_) size += (tree.count + 1) / 2;
  next_.resize(size);
  size = 0;
  for (Tree& tree : trees_) {
    const Node* const below = &nodes_[tree.begin];
    const u32 root = tree.count == 2 ? kRoot : 0;
    tree.begin = size;
    for (size_t i = 0; i + 1 < tree.count; i += 2)
      jobs_.push_back({reinterpret_cast<const u8*>(below + i), 2 * sizeof(Node), 0, kParent, root,
                       &next_[size++]});
    if (tree.count % 2) next_[size++] = below[tree.count - 1];
    tree.count = (tree.count + 1) / 2;
  }
  compress();
  std::swap(nodes_, next_);
}

void Blake3::run(std::span<const std::span<const u8>> inputs, Digest* out) {
  start(inputs);
  for (;;) {
    for (const Tree& tree : trees_)
      if (tree.count == 1) std::memcpy(&out[tree.input], &nodes_[tree.begin], sizeof(Digest));
    std::erase_if(trees_, [](const Tree& tree) { return tree.count == 1; });
    if (trees_.empty()) return;
    join();
  }
}

}  // namespace nabi
