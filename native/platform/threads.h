// Loops on several threads; the first exception is rethrown to the caller.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace nabi {

#ifdef __wasm__  // a browser's module has one thread, and no exceptions

template <class Work>
void on_threads(unsigned threads, Work work) {
  for (unsigned t = 0; t < threads; ++t) work(t);
}

#else

// Calls work(t) for t in 0 .. threads - 1, the last of them on this thread.
template <class Work>
void on_threads(unsigned threads, Work work) {
  std::exception_ptr error;
  std::mutex mutex;
  const auto guarded = [&](unsigned t) {
    try {
      work(t);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  unsigned t = 0;
  try {
    for (; t + 1 < threads; ++t) others.emplace_back(guarded, t);
  } catch (const std::system_error&) {
    // No more threads to be had: this one does the rest, one after another.
  }
  for (; t < threads; ++t) guarded(t);
  for (std::thread& other : others) other.join();
  if (error) std::rethrow_exception(error);
}

#endif

// Calls work(state, i, t) for i in 0 .. n - 1, on threads t that each make(t) a state of their own.
template <class Make, class Work>
void on_pieces(size_t n, unsigned threads, Make make, Work work) {
  std::atomic<size_t> next{0};
  on_threads(threads, [&](unsigned t) {
    auto state = make(t);
    for (size_t i; (i = next++) < n;) work(state, i, t);
  });
}

}  // namespace nabi
