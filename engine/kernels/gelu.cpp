#include "engine/kernels/gelu.h"

#include <cstdint>

#include "engine/kernels/pieces.h"
#include "engine/kernels/vector_math.h"

namespace phasor::kernels {

// y = x Phi(x)
void gelu(std::span<const float> x, std::span<float> y) {
  const float* in = x.data();
  float* out = y.data();
  parallel_for_ranges(static_cast<std::int64_t>(y.size()), kGrain, [in, out](std::int64_t begin, std::int64_t end) {
#pragma GCC ivdep
    for (std::int64_t i = begin; i < end; ++i) out[i] = in[i] * vector_normal(in[i]).cumulative;
  });
}

// dx = dy (Phi(x) + x phi(x))
void gelu_gradient(std::span<const float> x, std::span<const float> dy, std::span<float> dx) {
  const float *in = x.data(), *upstream = dy.data();
  float* out = dx.data();
  parallel_for_ranges(static_cast<std::int64_t>(dx.size()), kGrain, [=](std::int64_t begin, std::int64_t end) {
#pragma GCC ivdep
    for (std::int64_t i = begin; i < end; ++i) {
      const Normal normal = vector_normal(in[i]);
      out[i] = upstream[i] * std::fma(in[i], normal.density, normal.cumulative);
    }
  });
}

}  // namespace phasor::kernels
