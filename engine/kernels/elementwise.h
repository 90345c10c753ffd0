// Element by element, and the sum that undoes a broadcast. Here and in the other kernels that are templates, T is float
// or bfloat16: the type in which tensors lie in memory. Arithmetic is in float; what is stored in T is rounded once, to
// the nearest, ties to even.
#pragma once

#include <span>

#include "engine/base/bfloat16.h"

namespace phasor::kernels {

// y = a + b, where b repeats over the leading dimensions of a: a.size() is a multiple of b.size().
// y may be a or b itself (b only where it does not repeat).
template <class T>
void add(std::span<const T> a, std::span<const T> b, std::span<T> y);

// y[j] = sum over i of x[i * y.size() + j]: the gradient of a broadcast. The order depends on the sizes alone. Needs no
// memory beyond the stack.
template <class T>
void reduce_sum(std::span<const T> x, std::span<float> y);

// y[i] = x[i] in the other type; to bfloat16 rounded as above. Spans of equal size that do not overlap.
void convert(std::span<const float> x, std::span<bfloat16> y);
void convert(std::span<const bfloat16> x, std::span<float> y);

}  // namespace phasor::kernels
