// An array of zeroed slots that asks for huge pages: a table of many megabytes is filled at random,
// and with 4 KiB pages the faults cost more than the counting.
#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <utility>

#include "utf8.h"

namespace nabi {

template <class Slot>
class Slots {
 public:
  Slots() = default;
  explicit Slots(size_t n) : n_(n), bytes_(n * sizeof(Slot)) {
    if (!n) return;
    if (bytes_ < kMapFrom) {
      void* const p = std::aligned_alloc(64, (bytes_ + 63) / 64 * 64);
      if (!p) throw std::bad_alloc();
      std::memset(p, 0, bytes_);
      data_ = static_cast<Slot*>(p);
      return;
    }
    void* p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    if (bytes_ >= kHugeFrom) madvise(p, bytes_, MADV_HUGEPAGE);
#endif
    data_ = static_cast<Slot*>(p);
  }
  ~Slots() {
    if (bytes_ < kMapFrom)
      std::free(data_);
    else if (data_)
      munmap(data_, bytes_);
  }
  Slots(Slots&& other) noexcept { swap(other); }
  Slots& operator=(Slots&& other) noexcept {
    swap(other);
    return *this;
  }
  Slots(const Slots& other) : Slots(other.n_) {
    if (n_) std::memcpy(static_cast<void*>(data_), other.data_, bytes_);
  }
  Slots& operator=(const Slots&) = delete;

  Slot& operator[](size_t i) { return data_[i]; }
  const Slot& operator[](size_t i) const { return data_[i]; }
  const Slot* begin() const { return data_; }
  const Slot* end() const { return data_ + n_; }
  size_t size() const { return n_; }

 private:
  static constexpr size_t kMapFrom = size_t{256} << 10, kHugeFrom = size_t{4} << 20;
  void swap(Slots& other) {
    std::swap(data_, other.data_);
    std::swap(n_, other.n_);
    std::swap(bytes_, other.bytes_);
  }
  Slot* data_ = nullptr;
  size_t n_ = 0, bytes_ = 0;
};

}  // namespace nabi
