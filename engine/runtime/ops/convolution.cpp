#include "engine/kernels/convolution/convolution.h"

#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

namespace {

kernels::ConvolutionShape shape_of(const Shape& x, const Shape& weight, const Node& node) {
  const auto& attributes = std::get<ConvolutionAttributes>(node.attributes);
  return {.batch = x[0],
          .in_channels = x[1],
          .height = x[2],
          .width = x[3],
          .out_channels = weight[0],
          .kernel_height = weight[2],
          .kernel_width = weight[3],
          .stride = attributes.stride,
          .padding = attributes.padding};
}

const Shape& gradient_of(const Node& node) { return std::get<ConvolutionAttributes>(node.attributes).gradient_of; }

}  // namespace

void conv2d(const KernelArguments& arguments) {
  const auto in = inputs<Op::conv2d>(arguments);
  const auto out = outputs<Op::conv2d>(arguments);
  const auto shape = shape_of(in["x"].spec.shape, in["weight"].spec.shape, arguments.node);
  with_real(in["x"].spec.dtype, [&]<class T>() {
    kernels::conv2d<T>(shape, read<T>(in["x"]), read<T>(in["weight"]), read_float(in["bias"]), write<T>(out["y"]),
                       scratch_as<float>(arguments));
  });
}

void conv2d_input_gradient(const KernelArguments& arguments) {
  const auto in = inputs<Op::conv2d_input_gradient>(arguments);
  const auto out = outputs<Op::conv2d_input_gradient>(arguments);
  const auto shape = shape_of(out["dx"].spec.shape, in["weight"].spec.shape, arguments.node);
  with_real(in["weight"].spec.dtype, [&]<class T>() {
    kernels::conv2d_input_gradient<T>(shape, read<T>(in["weight"]), read<T>(in["dy"]), write<T>(out["dx"]),
                                      scratch_as<float>(arguments));
  });
}

void conv2d_weight_gradient(const KernelArguments& arguments) {
  const auto in = inputs<Op::conv2d_weight_gradient>(arguments);
  const auto out = outputs<Op::conv2d_weight_gradient>(arguments);
  const auto shape = shape_of(in["x"].spec.shape, out["dweight"].spec.shape, arguments.node);
  with_real(in["x"].spec.dtype, [&]<class T>() {
    kernels::conv2d_weight_gradient<T>(shape, read<T>(in["x"]), read<T>(in["dy"]), write_float(out["dweight"]),
                                       write_float(out["dbias"]), scratch_as<float>(arguments));
  });
}

std::int64_t conv2d_scratch(const Graph& graph, const Node& node, int threads) {
  const auto in = inputs_of<Op::conv2d>(node);
  const auto shape = shape_of(graph.spec(in["x"]).shape, graph.spec(in["weight"]).shape, node);
  return size_of(DType::f32) *
         with_real(graph.spec(in["x"]).dtype, [&]<class T>() { return kernels::conv2d_scratch<T>(shape, threads); });
}

std::int64_t conv2d_input_gradient_scratch(const Graph& graph, const Node& node, int threads) {
  const TensorSpec& weight = graph.spec(inputs_of<Op::conv2d_input_gradient>(node)["weight"]);
  const auto shape = shape_of(gradient_of(node), weight.shape, node);
  return size_of(DType::f32) *
         with_real(weight.dtype, [&]<class T>() { return kernels::conv2d_input_gradient_scratch<T>(shape, threads); });
}

std::int64_t conv2d_weight_gradient_scratch(const Graph& graph, const Node& node, int threads) {
  const Shape& x = graph.spec(inputs_of<Op::conv2d_weight_gradient>(node)["x"]).shape;
  return size_of(DType::f32) * kernels::conv2d_weight_gradient_scratch(shape_of(x, gradient_of(node), node), threads);
}

}  // namespace phasor::adapters
