// Conversion between NumPy arrays and C++ vectors. Only this folder includes Python's headers.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

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
void bind_rows(nb::module_& m);
void bind_csv(nb::module_& m);
void bind_tables(nb::module_& m);
void bind_scorers(nb::module_& m);
void bind_numbers(nb::module_& m);
void bind_matrix(nb::module_& m);
void bind_held_out(nb::module_& m);
void bind_linear(nb::module_& m);

}  // namespace nabi
