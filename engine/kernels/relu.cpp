#include "engine/kernels/relu.h"

#include <bit>
#include <cstdint>
#include <type_traits>

#include "engine/base/bfloat16.h"
#include "engine/kernels/simd/pieces.h"

namespace phasor::kernels {

namespace {

// The value where the unit is open, else 0. They are chosen among as bits, and both read before, so that loops are made
// of vectors: a jump would go wrong half of the time.
template <class T>
T where_open(T unit, T value) {
  using Bits = std::conditional_t<sizeof(T) == sizeof(std::uint16_t), std::int16_t, std::int32_t>;
  const Bits kept = static_cast<Bits>(Bits{to_float(unit) <= 0} - 1);
  return std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(value) & kept));
}

}  // namespace

template <class T>
void relu(std::span<const T> x, std::span<T> y) {
  const T* in = x.data();
  T* out = y.data();
  parallel_for_ranges(static_cast<std::int64_t>(y.size()), kGrain, [=](std::int64_t begin, std::int64_t end) {
#pragma GCC ivdep
    for (std::int64_t i = begin; i < end; ++i) out[i] = where_open(in[i], in[i]);
  });
}

template <class T>
void relu_gradient(std::span<const T> y, std::span<const T> dy, std::span<T> dx) {
  const T *out = y.data(), *upstream = dy.data();
  T* gradient = dx.data();
  parallel_for_ranges(static_cast<std::int64_t>(dx.size()), kGrain, [=](std::int64_t begin, std::int64_t end) {
#pragma GCC ivdep
    for (std::int64_t i = begin; i < end; ++i) {
      const T unit = out[i], value = upstream[i];
      gradient[i] = where_open(unit, value);
    }
  });
}

template void relu(std::span<const float>, std::span<float>);
template void relu(std::span<const bfloat16>, std::span<bfloat16>);
template void relu_gradient(std::span<const float>, std::span<const float>, std::span<float>);
template void relu_gradient(std::span<const bfloat16>, std::span<const bfloat16>, std::span<bfloat16>);

}  // namespace phasor::kernels
