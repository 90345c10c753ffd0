// Reference of engine/kernels/matmul.h.
#pragma once

#include <cstdint>
#include <span>

namespace phasor::reference {

struct MatmulShape {
  std::int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false;  // a is stored [k, m] instead of [m, k]
  bool transpose_b = false;  // b is stored [n, k] instead of [k, n]
};

// c[i, j] = sum over l of op(a)[i, l] * op(b)[l, j]
template <class T>
void matmul(const MatmulShape& shape, std::span<const T> a, std::span<const T> b, std::span<T> c) {
  const auto [m, n, k, transpose_a, transpose_b] = shape;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      T sum{};
      for (std::int64_t l = 0; l < k; ++l)
        sum += a[transpose_a ? l * m + i : i * k + l] * b[transpose_b ? j * k + l : l * n + j];
      c[i * n + j] = sum;
    }
}

}  // namespace phasor::reference
