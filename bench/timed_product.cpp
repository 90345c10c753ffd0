#include "bench/timed_product.h"

#include "engine/base/random.h"
#include "engine/kernels/matmul.h"

namespace phasor::bench {

TimedProduct::TimedProduct(const ProductSize& size, DType precision, int /*threads*/)
    : size_(size),
      a_({precision, {size.m, size.k}}),
      b_({precision, {size.k, size.n}}),
      c_({precision, {size.m, size.n}}) {
  check(precision == DType::f32, "bench: products of {} are not supported", name_of(precision));
  fill_truncated_normal(1, 0, 1, a_.as<float>());
  fill_truncated_normal(1, 1, 1, b_.as<float>());
}

void TimedProduct::run() {
  kernels::matmul(
      {.m = size_.m, .n = size_.n, .k = size_.k, .transpose_a = size_.transpose_a, .transpose_b = size_.transpose_b},
      a_.as<const float>(), b_.as<const float>(), c_.as<float>());
}

}  // namespace phasor::bench
