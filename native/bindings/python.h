// Conversion between NumPy arrays and C++ vectors, and the interpreter's lock. Only this folder
// includes Python's headers.
#pragma once

#include <cxxabi.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <unistd.h>

#include <span>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace nabi {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T>;

template <class T>
std::span<const T> span(const In<T>& array) {
  return {array.data(), array.size()};
}
template <class T>
std::vector<T> copy(const In<T>& array) {
  return {array.data(), array.data() + array.size()};
}

#ifdef __GLIBCXX__
using ThreadEnd = abi::__forced_unwind;
#else
struct ThreadEnd {};  // a thread ends without unwinding its stack
#endif

// Takes the interpreter's lock. Where the interpreter has ended meanwhile, Python before 3.14 ends
// the thread by unwinding its stack, which no destructor and no catch-all survives: then this
// thread sleeps until the process is gone, as in later versions.
template <class Take>
auto take_or_sleep(Take take) {
  try {
    return take();
  } catch (ThreadEnd&) {
    for (;;) pause();
  }
}

// Gives the interpreter's lock away in its scope.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() {
    take_or_sleep([&] { PyEval_RestoreThread(state_); });
  }
  Unlocked(const Unlocked&) = delete;

 private:
  PyThreadState* const state_;
};

// Holds the interpreter's lock in its scope, on whatever thread.
class Locked {
 public:
  Locked() : state_(take_or_sleep([] { return PyGILState_Ensure(); })) {}
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;

 private:
  const PyGILState_STATE state_;
};

// A vector as a NumPy array, without a copy.
template <class T, class Allocator>
Out<T> give(std::vector<T, Allocator>&& values) {
  using Vector = std::vector<T, Allocator>;
  auto* const owned = new Vector(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Vector*>(p); });
  return Out<T>(owned->data(), {owned->size()}, owner);
}

// Each file of the folder adds its part to the module.
void bind_batch(nb::module_& m);
void bind_labels(nb::module_& m);
void bind_rows(nb::module_& m);
void bind_csv(nb::module_& m);
void bind_tables(nb::module_& m);
void bind_new_features(nb::module_& m);
void bind_merge(nb::module_& m);
void bind_stream(nb::module_& m);
void bind_scorers(nb::module_& m);
void bind_counted_scorer(nb::module_& m);
void bind_numbers(nb::module_& m);
void bind_matrix(nb::module_& m);
void bind_held_out(nb::module_& m);
void bind_linear(nb::module_& m);

}  // namespace nabi
