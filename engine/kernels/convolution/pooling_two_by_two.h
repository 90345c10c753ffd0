// Pooling of windows of 2 by 2 side by side, which networks have most: a row of windows at a time, in vectors.
#pragma once

#include "engine/kernels/convolution/pooling.h"

namespace phasor::kernels {

inline bool is_two_by_two(const PoolingShape& shape) { return shape.window == 2 && shape.stride == 2; }

// As pooling.h says, on the calling thread. Of what is read the spans may go on behind the shape's planes; of what is
// written they end there.
template <class T>
void two_by_two_maxima(const PoolingShape& shape, std::span<const T> x, std::span<T> y,
                       std::span<std::uint8_t> indices);
template <class T>
void two_by_two_gradient(const PoolingShape& shape, std::span<const std::uint8_t> indices, std::span<const T> dy,
                         std::span<T> dx);

}  // namespace phasor::kernels
