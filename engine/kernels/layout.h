// The same elements in another order, and which order that is. T is float or bfloat16.
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/segments.h"

namespace phasor::kernels {

// y[columns, rows] = transpose of x[rows, columns].
template <class T>
void transpose(std::int64_t rows, std::int64_t columns, std::span<const T> x, std::span<T> y);

// y = x; spans of equal size.
template <class T>
void copy(std::span<const T> x, std::span<T> y);

// y[row, token] = the token's place in its segment, which begins at 0; 0 where it is padding. y [rows, sequence].
void places(const Segments& segments, std::span<std::int32_t> y);

}  // namespace phasor::kernels
