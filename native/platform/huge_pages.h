// Allocators with huge pages for large arrays. With pages of 4 KiB, the first touch of a table of
// many megabytes costs more than the counting.
#pragma once

#ifndef __wasm__
#include <sys/mman.h>
#endif

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "platform/threads.h"
#include "platform/types.h"

namespace nabi {

inline constexpr size_t kMapFrom = size_t{256} << 10, kHugeFrom = size_t{2} << 20;

#ifdef __wasm__  // in a browser there are neither pages nor mmap

inline void* map_pages(size_t bytes) {
  void* const p = std::calloc(bytes, 1);
  if (!p) throw std::bad_alloc();
  return p;
}
inline void unmap_pages(void* p, size_t) { std::free(p); }

#else

inline void* map_pages(size_t bytes) {
  void* const p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (bytes >= kHugeFrom) madvise(p, bytes, MADV_HUGEPAGE);
#endif
  return p;
}
inline void unmap_pages(void* p, size_t bytes) { munmap(p, bytes); }

#endif

template <class T>
struct HugeAllocator {
  using value_type = T;
  HugeAllocator() = default;
  template <class U>
  HugeAllocator(const HugeAllocator<U>&) {}
  T* allocate(size_t n) {
    const size_t bytes = n * sizeof(T);
    return static_cast<T*>(bytes < kHugeFrom ? ::operator new(bytes) : map_pages(bytes));
  }
  void deallocate(T* p, size_t n) {
    const size_t bytes = n * sizeof(T);
    bytes < kHugeFrom ? ::operator delete(p) : unmap_pages(p, bytes);
  }
  bool operator==(const HugeAllocator&) const { return true; }
};

template <class T>
using HugeVector = std::vector<T, HugeAllocator<T>>;

// Allocator that leaves numbers uninitialised: the threads that write them touch their pages first.
template <class T>
struct RawAllocator : HugeAllocator<T> {
  template <class U>
  struct rebind {
    using other = RawAllocator<U>;
  };
  RawAllocator() = default;
  template <class U>
  RawAllocator(const RawAllocator<U>&) {}
  template <class U>
  void construct(U* p) {
    ::new (static_cast<void*>(p)) U;
  }
  template <class U, class... Given>
  void construct(U* p, Given&&... given) {
    ::new (static_cast<void*>(p)) U(std::forward<Given>(given)...);
  }
};

template <class T>
using RawVector = std::vector<T, RawAllocator<T>>;

// An array of zeroed slots, for a hash table.
template <class Slot>
class Slots {
 public:
  Slots() = default;
  explicit Slots(size_t n, unsigned threads = 1) : n_(n), bytes_(n * sizeof(Slot)) {
    if (!n) return;
    if (bytes_ >= kMapFrom) {
      data_ = static_cast<Slot*>(map_pages(bytes_));
      touch(threads);
      return;
    }
    void* const p = std::aligned_alloc(64, (bytes_ + 63) / 64 * 64);
    if (!p) throw std::bad_alloc();
    std::memset(p, 0, bytes_);
    data_ = static_cast<Slot*>(p);
  }
  // Slots in memory of somebody else, which outlives them.
  Slots(Slot* borrowed, size_t n)
      : data_(borrowed), n_(n), bytes_(n * sizeof(Slot)), borrows_(true) {}
  ~Slots() {
    if (borrows_) return;
    if (bytes_ < kMapFrom)
      std::free(data_);
    else if (data_)
      unmap_pages(data_, bytes_);
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
  Slot* begin() { return data_; }
  Slot* end() { return data_ + n_; }
  const Slot* begin() const { return data_; }
  const Slot* end() const { return data_ + n_; }
  size_t size() const { return n_; }

 private:
  // Writes to every page. A look-up would read it first, which gives it the shared page of zeros,
  // and the write that follows takes it away again: a second fault, and with several threads an
  // interrupt on every core. On two threads that was a sixth of all time.
  void touch(unsigned threads) {
    if (threads < 2 || bytes_ < 2 * kHugeFrom) return touch(0, bytes_);
    const size_t pages = bytes_ / kHugeFrom;
    on_threads(threads, [&](unsigned t) {
      const size_t end = t + 1 == threads ? bytes_ : pages * (t + 1) / threads * kHugeFrom;
      touch(pages * t / threads * kHugeFrom, end);
    });
  }
  void touch(size_t begin, size_t end) {
    u8* const bytes = reinterpret_cast<u8*>(data_);
#ifdef MADV_POPULATE_WRITE  // in one call; older systems refuse it
    if (!madvise(bytes + begin, end - begin, MADV_POPULATE_WRITE)) return;
#endif
    for (size_t i = begin; i < end; i += 4096) static_cast<volatile u8*>(bytes)[i] = 0;
  }
  void swap(Slots& other) {
    std::swap(data_, other.data_);
    std::swap(n_, other.n_);
    std::swap(bytes_, other.bytes_);
    std::swap(borrows_, other.borrows_);
  }
  Slot* data_ = nullptr;
  size_t n_ = 0, bytes_ = 0;
  bool borrows_ = false;
};

}  // namespace nabi
