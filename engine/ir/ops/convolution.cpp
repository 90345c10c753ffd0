#include "engine/ir/ops/input_specs.h"

namespace phasor::rules {

namespace {

std::int64_t out_size(std::int64_t size, std::int64_t kernel, const ConvolutionAttributes& attributes) {
  return (size + 2 * attributes.padding - kernel) / attributes.stride + 1;
}

// The shape of y: x [batch, channels, height, width], weight [out channels, channels, kernel height, kernel width].
Shape out_shape(const Shape& x, const Shape& weight, const ConvolutionAttributes& attributes) {
  ensure(x.rank() == 4 && weight.rank() == 4, "conv2d: x {} and weight {} have ranks {} and {}, expected 4",
         to_string(x), to_string(weight), x.rank(), weight.rank());
  ensure(x[1] == weight[1] && x[1] > 0, "conv2d: x {} and weight {} have {} and {} channels", to_string(x),
         to_string(weight), x[1], weight[1]);
  ensure(attributes.stride > 0 && attributes.padding >= 0, "conv2d: stride {} and padding {}", attributes.stride,
         attributes.padding);
  for (int i = 2; i < 4; ++i) {
    ensure(weight[i] > 0 && weight[i] <= x[i] + 2 * attributes.padding,
           "conv2d: the kernel of weight {} does not fit into x {} padded by {}", to_string(weight), to_string(x),
           attributes.padding);
  }
  return {x[0], weight[0], out_size(x[2], weight[2], attributes), out_size(x[3], weight[3], attributes)};
}

const ConvolutionAttributes& convolution_of(const Attributes& attributes) {
  return std::get<ConvolutionAttributes>(attributes);
}

// Every pixel of y, or dy, is a sum of so many products.
double flops(const Shape& y, const Shape& weight) {
  return 2 * static_cast<double>(y.elements()) * static_cast<double>(weight[1] * weight[2] * weight[3]);
}

}  // namespace

Specs conv2d(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::conv2d> in(inputs);
  const TensorSpec &x = in["x"], &weight = in["weight"];
  const Shape y = out_shape(x.shape, weight.shape, convolution_of(attributes));
  in.expect("weight", {x.dtype, weight.shape});
  in.expect("bias", {DType::f32, {weight.shape[0]}});
  return {{x.dtype, y}};
}

Specs conv2d_input_gradient(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::conv2d_input_gradient> in(inputs);
  const TensorSpec& weight = in["weight"];
  const Shape& x = convolution_of(attributes).gradient_of;
  in.expect("dy", {weight.dtype, out_shape(x, weight.shape, convolution_of(attributes))});
  return {{weight.dtype, x}};
}

Specs conv2d_weight_gradient(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::conv2d_weight_gradient> in(inputs);
  const TensorSpec& x = in["x"];
  const Shape& weight = convolution_of(attributes).gradient_of;
  in.expect("dy", {x.dtype, out_shape(x.shape, weight, convolution_of(attributes))});
  return {{DType::f32, weight}, {DType::f32, {weight[0]}}};
}

double conv2d_flops(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::conv2d> in(inputs);
  const Shape& weight = in["weight"].shape;
  return flops(out_shape(in["x"].shape, weight, convolution_of(attributes)), weight);
}
double conv2d_input_gradient_flops(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::conv2d_input_gradient> in(inputs);
  return flops(in["dy"].shape, in["weight"].shape);
}
double conv2d_weight_gradient_flops(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  return flops(InputSpecs<Op::conv2d_weight_gradient>(inputs)["dy"].shape, convolution_of(attributes).gradient_of);
}

}  // namespace phasor::rules
