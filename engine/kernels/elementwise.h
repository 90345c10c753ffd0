// Element by element, and the sum that undoes a broadcast.
#pragma once

#include <span>

namespace phasor::kernels {

// y = a + b, where b repeats over the leading dimensions of a: a.size() is a multiple of b.size().
// y may be a or b itself (b only where it does not repeat).
void add(std::span<const float> a, std::span<const float> b, std::span<float> y);

// y[j] = sum over i of x[i * y.size() + j]: the gradient of a broadcast. The order depends on the sizes alone.
void reduce_sum(std::span<const float> x, std::span<float> y);

}  // namespace phasor::kernels
