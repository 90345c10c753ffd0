#include "engine/kernels/gelu.h"

#include <cstdint>
#include <type_traits>

#include "engine/base/bfloat16.h"
#include "engine/kernels/simd/pieces.h"
#include "engine/kernels/simd/vector_math.h"

namespace phasor::kernels {

namespace {

// P and p at x, as exact as T can show.
template <class T, GeluKind kind>
Normal normal_at(float x) {
  constexpr bool kRough = std::is_same_v<T, bfloat16>;
  if constexpr (kind == GeluKind::erf) {
    return kRough ? rough_normal(x) : vector_normal(x);
  } else {
    return kRough ? rough_tanh_normal(x) : vector_tanh_normal(x);
  }
}

// body.template operator()<kind>()
template <class Body>
void with_kind(GeluKind kind, Body body) {
  if (kind == GeluKind::tanh) return body.template operator()<GeluKind::tanh>();
  body.template operator()<GeluKind::erf>();
}

}  // namespace

// y = x P(x)
template <class T>
void gelu(GeluKind of, std::span<const T> x, std::span<T> y) {
  const T* in = x.data();
  T* out = y.data();
  with_kind(of, [&]<GeluKind kind>() {
    parallel_for_ranges(static_cast<std::int64_t>(y.size()), kGrain, [in, out](std::int64_t begin, std::int64_t end) {
#pragma GCC ivdep
      for (std::int64_t i = begin; i < end; ++i) {
        const float value = to_float(in[i]);
        out[i] = from_float<T>(value * normal_at<T, kind>(value).cumulative);
      }
    });
  });
}

// dx = dy (P(x) + x p(x))
template <class T>
void gelu_gradient(GeluKind of, std::span<const T> x, std::span<const T> dy, std::span<T> dx) {
  const T *in = x.data(), *upstream = dy.data();
  T* out = dx.data();
  with_kind(of, [&]<GeluKind kind>() {
    parallel_for_ranges(static_cast<std::int64_t>(dx.size()), kGrain, [=](std::int64_t begin, std::int64_t end) {
#pragma GCC ivdep
      for (std::int64_t i = begin; i < end; ++i) {
        const float value = to_float(in[i]);
        const Normal normal = normal_at<T, kind>(value);
        out[i] = from_float<T>(to_float(upstream[i]) * std::fma(value, normal.density, normal.cumulative));
      }
    });
  });
}

template <class T>
void gelu_with_gradient(GeluKind of, std::span<const T> x, std::span<const T> dy, std::span<T> dx, std::span<T> y) {
  const T *in = x.data(), *upstream = dy.data();
  T *gradient = dx.data(), *out = y.data();
  with_kind(of, [&]<GeluKind kind>() {
    parallel_for_ranges(static_cast<std::int64_t>(dx.size()), kGrain, [=](std::int64_t begin, std::int64_t end) {
#pragma GCC ivdep
      for (std::int64_t i = begin; i < end; ++i) {
        const float value = to_float(in[i]);
        const Normal normal = normal_at<T, kind>(value);
        gradient[i] = from_float<T>(to_float(upstream[i]) * std::fma(value, normal.density, normal.cumulative));
        out[i] = from_float<T>(value * normal.cumulative);
      }
    });
  });
}

template void gelu(GeluKind, std::span<const float>, std::span<float>);
template void gelu(GeluKind, std::span<const bfloat16>, std::span<bfloat16>);
template void gelu_gradient(GeluKind, std::span<const float>, std::span<const float>, std::span<float>);
template void gelu_gradient(GeluKind, std::span<const bfloat16>, std::span<const bfloat16>, std::span<bfloat16>);
template void gelu_with_gradient(GeluKind, std::span<const float>, std::span<const float>, std::span<float>,
                                 std::span<float>);
template void gelu_with_gradient(GeluKind, std::span<const bfloat16>, std::span<const bfloat16>, std::span<bfloat16>,
                                 std::span<bfloat16>);

}  // namespace phasor::kernels
