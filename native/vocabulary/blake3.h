// BLAKE3 (O'Connor, Aumasson, Neves and Wilcox-O'Hearn 2020) of many inputs at once.
#pragma once

#include <span>
#include <vector>

#include "platform/types.h"

namespace nabi {

// The first 128 bits of a hash, little-endian.
struct Digest {
  u64 words[2];
};

class Blake3 {
 public:
  explicit Blake3(bool avx2 = true) : avx2_(avx2) {}  // where the machine has it
  void run(std::span<const std::span<const u8>> inputs, Digest* out);

  // The hash of a part of the tree: a chunk of an input, or two nodes below it.
  struct Node {
    u32 words[8];
  };
  // The blocks of a node, one after another.
  struct Job {
    const u8* data;
    size_t size;
    u32 chunk;        // index of the chunk in its input
    u32 first, last;  // flags of the first and of the last block
    Node* out;
  };

 private:
  struct Tree {
    size_t input, begin, count;  // its nodes
  };
  void compress() const;
  void start(std::span<const std::span<const u8>> inputs);
  void join();

  bool avx2_;
  std::vector<Job> jobs_;
  std::vector<Node> nodes_, next_;
  std::vector<Tree> trees_;
};

}  // namespace nabi
