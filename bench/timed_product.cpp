#include "bench/timed_product.h"

#include <vector>

#include "engine/base/random.h"
#include "engine/kernels/elementwise.h"

namespace phasor::bench {

namespace {

kernels::ProductShape product_shape(const ProductSize& size, DType precision) {
  kernels::ProductShape shape{.m = size.m,
                              .n = size.n,
                              .k = size.k,
                              .transpose_a = size.transpose_a,
                              .transpose_b = size.transpose_b,
                              .operands = precision,
                              .result = size.transpose_a ? DType::f32 : precision};
  shape.packed_b = !size.transpose_a && kernels::packed_b_bytes(shape) > 0;
  return shape;
}

Tensor packed(kernels::ProductShape shape, const Tensor& b) {
  shape.packed_b = false;  // yet
  Tensor result({shape.operands, {kernels::packed_b_bytes(shape) / size_of(shape.operands)}});
  const auto packing = kernels::make_packing(shape);
  for (std::int64_t slice = 0; slice < packing->slices(); ++slice) {
    packing->run(slice, b.view().data, result.view().data);
  }
  return result;
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
      shape_(product_shape(size, precision)),
      product_(shape_, threads),
      a_({precision, {size.m, size.k}}),
      b_({precision, {size.k, size.n}}),
      c_({shape_.result, {size.m, size.n}}),
      scratch_({DType::f32, {product_.scratch_bytes() / 4}}) {
  fill(a_, 0);
  fill(b_, 1);
  if (shape_.packed_b) b_ = packed(shape_, b_);
}

void TimedProduct::run() {
  product_.run(a_.view().data, b_.view().data, nullptr, c_.view().data, std::as_writable_bytes(scratch_.as<float>()));
}

}  // namespace phasor::bench
