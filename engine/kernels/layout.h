// The same elements in another order. T is float or bfloat16.
#pragma once

#include <cstdint>
#include <span>

namespace phasor::kernels {

// y[columns, rows] = transpose of x[rows, columns].
template <class T>
void transpose(std::int64_t rows, std::int64_t columns, std::span<const T> x, std::span<T> y);

// y = x; spans of equal size.
template <class T>
void copy(std::span<const T> x, std::span<T> y);

// y[i] = i.
void iota(std::span<std::int32_t> y);

}  // namespace phasor::kernels
