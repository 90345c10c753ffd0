#include "engine/kernels/relu.h"

#include <cstdint>

#include "engine/base/bfloat16.h"
#include "engine/kernels/simd/pieces.h"

namespace phasor::kernels {

template <class T>
void relu(std::span<const T> x, std::span<T> y) {
  const T* in = x.data();
  T* out = y.data();
  parallel_for_ranges(static_cast<std::int64_t>(y.size()), kGrain, [=](std::int64_t begin, std::int64_t end) {
#pragma GCC ivdep
    for (std::int64_t i = begin; i < end; ++i) out[i] = to_float(in[i]) <= 0 ? T{} : in[i];
  });
}

template <class T>
void relu_gradient(std::span<const T> y, std::span<const T> dy, std::span<T> dx) {
  const T *out = y.data(), *upstream = dy.data();
  T* gradient = dx.data();
  parallel_for_ranges(static_cast<std::int64_t>(dx.size()), kGrain, [=](std::int64_t begin, std::int64_t end) {
#pragma GCC ivdep
    for (std::int64_t i = begin; i < end; ++i) gradient[i] = to_float(out[i]) <= 0 ? T{} : upstream[i];
  });
}

template void relu(std::span<const float>, std::span<float>);
template void relu(std::span<const bfloat16>, std::span<bfloat16>);
template void relu_gradient(std::span<const float>, std::span<const float>, std::span<float>);
template void relu_gradient(std::span<const bfloat16>, std::span<const bfloat16>, std::span<bfloat16>);

}  // namespace phasor::kernels
