#include "bench/timed_product.h"

#include <vector>

#include "engine/base/random.h"
#include "engine/kernels/elementwise.h"

namespace phasor::bench {

namespace {

kernels::ProductShape product_shape(const ProductSize& size, DType precision) {
  return {.m = size.m,
          .n = size.n,
          .k = size.k,
          .transpose_a = size.transpose_a,
          .transpose_b = size.transpose_b,
          .operands = precision,
          .result = size.transpose_a ? DType::f32 : precision};
}

void fill(const Tensor& tensor, std::uint32_t stream) {
  if (tensor.spec().dtype == DType::f32) return fill_truncated_normal(1, stream, 1, tensor.as<float>());
  std::vector<float> values(static_cast<std::size_t>(tensor.spec().elements()));
  fill_truncated_normal(1, stream, 1, values);
  kernels::convert(values, tensor.as<bfloat16>());
}

}  // namespace

TimedProduct::TimedProduct(const ProductSize& size, DType precision, int threads)
    : size_(size),
      product_(product_shape(size, precision), threads),
      a_({precision, {size.m, size.k}}),
      b_({precision, {size.k, size.n}}),
      c_({product_shape(size, precision).result, {size.m, size.n}}),
      scratch_({DType::f32, {product_.scratch_bytes() / 4}}) {
  fill(a_, 0);
  fill(b_, 1);
}

void TimedProduct::run() {
  product_.run(a_.view().data, b_.view().data, nullptr, c_.view().data, std::as_writable_bytes(scratch_.as<float>()));
}

}  // namespace phasor::bench
