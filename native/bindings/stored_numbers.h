// NumPy arrays of unsigned integers, of whatever width.
#pragma once

#include <stdexcept>

#include "bindings/python.h"
#include "count/stored_counts.h"

namespace nabi {

using AnyArray = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline Numbers numbers(const AnyArray& array) {
  const auto type = array.dtype();
  if (type.code != uint8_t(nb::dlpack::dtype_code::UInt) || type.lanes != 1)
    throw std::invalid_argument("numbers of a strange type");
  return {array.data(), array.size(), unsigned(type.bits) / 8};
}

}  // namespace nabi
