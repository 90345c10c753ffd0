#include "engine/kernels/product/start_sum.h"

#include <algorithm>

namespace phasor::kernels {

namespace {

void start_row(const float* bias, std::int64_t columns, float* row) {
  if (bias == nullptr) {
    std::fill_n(row, columns, 0.0f);
  } else {
    std::copy_n(bias, columns, row);
  }
}

}  // namespace

void start_sum(const ProductShape& s, const float* bias, float* c) {
  if (!s.accumulate) {
    for (std::int64_t i = 0; i < s.m; ++i) start_row(s.bias ? bias : nullptr, s.n, c + i * s.ldc);
  } else if (s.bias) {
    for (std::int64_t i = 0; i < s.m; ++i)
      for (std::int64_t j = 0; j < s.n; ++j) c[i * s.ldc + j] += bias[j];
  }
}

}  // namespace phasor::kernels
