#include "engine/ir/ops/input_specs.h"

namespace phasor::rules {

namespace {

// Of y, from x [batch, channels, height, width].
TensorSpec out_spec(const TensorSpec& x, const PoolingAttributes& attributes) {
  const auto& [window, stride, relu] = attributes;
  const Shape& shape = x.shape;
  ensure(shape.rank() == 4, "max_pool2d: x {} has rank {}, expected 4", to_string(shape), shape.rank());
  ensure(window > 0 && stride > 0 && window <= shape[2] && window <= shape[3],
         "max_pool2d: windows of {} with stride {} do not fit into x {}", window, stride, to_string(shape));
  return {x.dtype, {shape[0], shape[1], (shape[2] - window) / stride + 1, (shape[3] - window) / stride + 1}};
}

}  // namespace

Specs max_pool2d(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  return {out_spec(InputSpecs<Op::max_pool2d>(inputs)["x"], std::get<PoolingAttributes>(attributes))};
}

Specs max_pool2d_gradient(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::max_pool2d_gradient> in(inputs);
  const TensorSpec y = out_spec(in["x"], std::get<PoolingAttributes>(attributes));
  in.expect("y", y);
  in.expect("dy", y);
  return {in["x"]};
}

}  // namespace phasor::rules
