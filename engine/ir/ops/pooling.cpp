#include <limits>

#include "engine/ir/ops/input_specs.h"

namespace phasor::rules {

namespace {

const PoolingAttributes& pooling_of(const Attributes& attributes) { return std::get<PoolingAttributes>(attributes); }

// Of y, from x [batch, channels, height, width].
Shape out_shape(const Shape& x, const PoolingAttributes& attributes) {
  const std::int64_t window = attributes.window, stride = attributes.stride;
  ensure(x.rank() == 4, "max_pool2d: x {} has rank {}, expected 4", to_string(x), x.rank());
  ensure(window > 0 && stride > 0 && window <= x[2] && window <= x[3],
         "max_pool2d: windows of {} with stride {} do not fit into x {}", window, stride, to_string(x));
  constexpr std::int64_t kMost = std::numeric_limits<std::uint8_t>::max();  // one number more means none of them
  ensure(window * window <= kMost, "max_pool2d: windows of {} have {} elements, of which indices tell {} apart", window,
         window * window, kMost);
  return {x[0], x[1], (x[2] - window) / stride + 1, (x[3] - window) / stride + 1};
}

}  // namespace

Specs max_pool2d(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const TensorSpec& x = InputSpecs<Op::max_pool2d>(inputs)["x"];
  const Shape y = out_shape(x.shape, pooling_of(attributes));
  return {{x.dtype, y}, {DType::u8, y}};
}

Specs max_pool2d_gradient(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::max_pool2d_gradient> in(inputs);
  const DType dtype = in["dy"].dtype;
  const Shape& x = pooling_of(attributes).gradient_of;
  const Shape y = out_shape(x, pooling_of(attributes));
  in.expect("indices", {DType::u8, y});
  in.expect("dy", {dtype, y});
  return {{dtype, x}};
}

}  // namespace phasor::rules
