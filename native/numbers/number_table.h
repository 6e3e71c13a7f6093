// View of a NumPy matrix of numbers, by row or by column.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>

#include "platform/types.h"

namespace nabi {

// Numbers by row and column; the next column is `column_step` numbers away, the next row
// `row_step`. One of the two is 1.
template <class T>
struct NumberTable {
  const T* values;
  size_t rows, columns, row_step, column_step;

  T at(size_t row, size_t column) const { return values[row * row_step + column * column_step]; }
};

// Names the first infinite value.
template <class T>
void refuse_infinite(const NumberTable<T>& x) {
  for (size_t r = 0; r < x.rows; ++r)
    for (size_t c = 0; c < x.columns; ++c)
      if (std::isinf(x.at(r, c)))
        throw std::invalid_argument("X[" + std::to_string(r) + ", " + std::to_string(c) +
                                    "] is infinite, expected a number or NaN");
}

}  // namespace nabi
