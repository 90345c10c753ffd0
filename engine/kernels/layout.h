// The same elements in another order.
#pragma once

#include <cstdint>
#include <span>

namespace phasor::kernels {

// y[columns, rows] = transpose of x[rows, columns].
void transpose(std::int64_t rows, std::int64_t columns, std::span<const float> x, std::span<float> y);

// y = x; spans of equal size.
void copy(std::span<const float> x, std::span<float> y);

// y[i] = i.
void iota(std::span<std::int32_t> y);

}  // namespace phasor::kernels
