// Matrix product. Row-major; m, n, k are the product's sizes, whatever way its operands are stored.
#pragma once

#include <cstdint>
#include <span>

namespace phasor::kernels {

struct MatmulShape {
  std::int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false;  // a is stored [k, m] instead of [m, k]
  bool transpose_b = false;  // b is stored [n, k] instead of [k, n]
};

// c[m, n] = op(a) op(b). Every element of c is summed in an order that depends on the shape alone.
void matmul(const MatmulShape& shape, std::span<const float> a, std::span<const float> b, std::span<float> c);

}  // namespace phasor::kernels
