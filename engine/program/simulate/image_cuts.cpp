#include <algorithm>

#include "engine/program/simulate/sample_cuts.h"

namespace phasor {

namespace {

// A convolution's sizes, or a pooling's, of which the channels are one number.
struct Sizes {
  std::int64_t batch, channels, height, width, out_channels;
  std::int64_t kernel_height, kernel_width, padding, stride;

  std::int64_t least_height() const { return std::max<std::int64_t>(1, kernel_height - 2 * padding); }
  std::int64_t least_width() const { return std::max<std::int64_t>(1, kernel_width - 2 * padding); }
  Shape images() const { return {batch, channels, height, width}; }
  Shape kernels() const { return {out_channels, channels, kernel_height, kernel_width}; }
  Shape filtered() const {
    return {batch, out_channels, (height + 2 * padding - kernel_height) / stride + 1,
            (width + 2 * padding - kernel_width) / stride + 1};
  }
};

Shape operand(const NodeSample& sample, OperandRole role) {
  return sample.inputs[op_info(sample.op).input_of(role)].shape;
}

Sizes sizes_of(const NodeSample& sample) {
  if (const auto* pooling = std::get_if<PoolingAttributes>(&sample.attributes)) {
    const bool of_x = sample.op == Op::max_pool2d_gradient;
    const Shape x = of_x ? pooling->gradient_of : operand(sample, OperandRole::images);
    return {x[0], x[1], x[2], x[3], x[1], pooling->window, pooling->window, 0, pooling->stride};
  }
  const auto& options = std::get<ConvolutionAttributes>(sample.attributes);
  const bool of_x = sample.op == Op::conv2d_input_gradient, of_weight = sample.op == Op::conv2d_weight_gradient;
  const Shape x = of_x ? options.gradient_of : operand(sample, OperandRole::images);
  const Shape weight = of_weight ? options.gradient_of : operand(sample, OperandRole::kernels);
  return {x[0], x[1], x[2], x[3], weight[0], weight[2], weight[3], options.padding, options.stride};
}

void set_sizes(NodeSample& sample, const Sizes& sizes) {
  for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
    Shape& shape = sample.inputs[i].shape;
    const OperandRole role = op_info(sample.op).input(i).role;
    if (role == OperandRole::images) shape = sizes.images();
    if (role == OperandRole::kernels) shape = sizes.kernels();
    if (role == OperandRole::filtered) shape = sizes.filtered();
    if (role == OperandRole::bias) shape = {sizes.out_channels};
  }
  if (sample.op == Op::max_pool2d_gradient) {
    std::get<PoolingAttributes>(sample.attributes).gradient_of = sizes.images();
  }
  if (sample.op == Op::conv2d_input_gradient) {
    std::get<ConvolutionAttributes>(sample.attributes).gradient_of = sizes.images();
  }
  if (sample.op == Op::conv2d_weight_gradient) {
    std::get<ConvolutionAttributes>(sample.attributes).gradient_of = sizes.kernels();
  }
}

}  // namespace

void cut_images(NodeSample& sample, double most_flops) {
  Sizes sizes = sizes_of(sample);
  const bool is_pooling = std::holds_alternative<PoolingAttributes>(sample.attributes);
  const CostRule flops = op_info(sample.op).flops;
  const auto too_large = [&] {
    if (is_pooling) sizes.out_channels = sizes.channels;
    set_sizes(sample, sizes);
    return bytes_of(sample) > kMostSampleBytes || (flops && flops(sample.inputs, sample.attributes) > most_flops);
  };
  const auto halve = [&](std::int64_t& size, std::int64_t least) {
    while (size > least && too_large()) size = std::max(least, (size + 1) / 2);
  };
  halve(sizes.batch, 1);
  while (std::max(sizes.channels, sizes.out_channels) > 1 && too_large()) {
    std::int64_t& more = sizes.channels >= sizes.out_channels ? sizes.channels : sizes.out_channels;
    more = (more + 1) / 2;
  }
  halve(sizes.height, sizes.least_height());
  halve(sizes.width, sizes.least_width());
  set_sizes(sample, sizes);
}

}  // namespace phasor
