// Reference of engine/kernels/layout.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace phasor::reference {

// y[j, i] = x[i, j]
template <class T>
void transpose(std::int64_t rows, std::int64_t columns, std::span<const T> x, std::span<T> y) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) y[j * rows + i] = x[i * columns + j];
}

template <class T>
void copy(std::span<const T> x, std::span<T> y) {
  std::copy(x.begin(), x.end(), y.begin());
}

}  // namespace phasor::reference
