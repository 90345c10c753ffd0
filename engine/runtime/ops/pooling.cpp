#include "engine/kernels/convolution/pooling.h"

#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

namespace {
kernels::PoolingShape shape_of(const Shape& x, const Node& node) {
  const auto& a = std::get<PoolingAttributes>(node.attributes);
  return {.planes = x[0] * x[1], .height = x[2], .width = x[3], .window = a.window, .stride = a.stride, .relu = a.relu};
}
}  // namespace

void max_pool2d(const KernelArguments& arguments) {
  const TensorView& x = inputs<Op::max_pool2d>(arguments)["x"];
  const auto out = outputs<Op::max_pool2d>(arguments);
  with_real(x.spec.dtype, [&]<class T>() {
    kernels::max_pool2d<T>(shape_of(x.spec.shape, arguments.node), read<T>(x), write<T>(out["y"]),
                           write<std::uint8_t>(out["indices"]));
  });
}

void max_pool2d_gradient(const KernelArguments& arguments) {
  const auto in = inputs<Op::max_pool2d_gradient>(arguments);
  const auto out = outputs<Op::max_pool2d_gradient>(arguments);
  with_real(in["dy"].spec.dtype, [&]<class T>() {
    kernels::max_pool2d_gradient<T>(shape_of(out["dx"].spec.shape, arguments.node), read<std::uint8_t>(in["indices"]),
                                    read<T>(in["dy"]), write<T>(out["dx"]), scratch_as<float>(arguments));
  });
}

std::int64_t max_pool2d_gradient_scratch(const Graph& graph, const Node& node, int threads) {
  const Shape& x = graph.spec(outputs_of<Op::max_pool2d_gradient>(node)["dx"]).shape;
  return size_of(DType::f32) * kernels::max_pool2d_gradient_scratch(shape_of(x, node), threads);
}

}  // namespace phasor::adapters
