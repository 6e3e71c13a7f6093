// Fingerprints: what a ledger knows a document by.
#pragma once

#include "unicode/texts.h"
#include "vocabulary/blake3.h"
#include "vocabulary/hash.h"

namespace nabi {

// The first kind is that of old files, and of orders that depend on the texts alone; the plain kind
// replaces it in ledgers; nobody can make two texts of one strong fingerprint.
enum class Fingerprint : u8 { kFirst, kPlain, kStrong };

inline size_t words_of(Fingerprint kind) { return kind == Fingerprint::kStrong ? 2 : 1; }

// A fingerprint of one word.
inline u64 fingerprint64(Fingerprint kind, const u8* data, size_t size) {
  return kind == Fingerprint::kFirst ? hash64(data, size, kDocumentSeed)
                                     : keeping_hash64(data, size, kDocumentSeed);
}

// Computes fingerprints of many inputs, side by side where they are strong. One per thread.
class Fingerprints {
 public:
  explicit Fingerprints(Fingerprint kind) : kind_(kind) {}

  // Of inputs, one after the other.
  void of_bytes(std::span<const std::span<const u8>> inputs, u64* out);
  // Of the texts at these indices; each goes to its index in `out`.
  void of_texts(const Texts& texts, std::span<const u32> indices, u64* out);

 private:
  Fingerprint kind_;
  TextReader reader_;
  Blake3 blake3_;
  std::vector<std::span<const u8>> inputs_;
  std::vector<u8> converted_;  // texts that were no UTF-8
  std::vector<Digest> digests_;
};

// The fingerprints of all texts.
std::vector<u64> fingerprints(const Texts& texts, Fingerprint kind, unsigned threads);

}  // namespace nabi
