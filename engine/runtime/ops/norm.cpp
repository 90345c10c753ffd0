#include "engine/kernels/norm.h"

#include "engine/kernels/dropout_add_norm.h"
#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

void layer_norm(const KernelArguments& arguments) {
  const auto in = inputs<Op::layer_norm>(arguments);
  const auto out = outputs<Op::layer_norm>(arguments);
  with_real(in["x"].spec.dtype, [&]<class T>() {
    kernels::layer_norm<T>(std::get<NormAttributes>(arguments.node.attributes).eps, read<T>(in["x"]),
                           read_float(in["gamma"]), read_float(in["beta"]), write<T>(out["y"]),
                           write_float(out["mean"]), write_float(out["rstd"]));
  });
}

void layer_norm_gradient(const KernelArguments& arguments) {
  const auto in = inputs<Op::layer_norm_gradient>(arguments);
  const auto out = outputs<Op::layer_norm_gradient>(arguments);
  with_real(in["x"].spec.dtype, [&]<class T>() {
    kernels::layer_norm_gradient<T>(
        read<T>(in["x"]), read_float(in["gamma"]), read_float(in["mean"]), read_float(in["rstd"]), read<T>(in["dy"]),
        write<T>(out["dx"]), write_float(out["dgamma"]), write_float(out["dbeta"]), scratch_as<float>(arguments));
  });
}

std::int64_t layer_norm_gradient_scratch(const Graph& graph, const Node& node, int) {
  const Shape& x = graph.spec(inputs_of<Op::layer_norm_gradient>(node)["x"]).shape;
  return kernels::layer_norm_gradient_scratch(x.rows(), x.columns()) * size_of(DType::f32);
}

void dropout_add_norm(const KernelArguments& arguments) {
  const auto in = inputs<Op::dropout_add_norm>(arguments);
  const auto out = outputs<Op::dropout_add_norm>(arguments);
  const auto& [probability, site, eps] = std::get<DropoutNormAttributes>(arguments.node.attributes);
  with_real(in["x"].spec.dtype, [&]<class T>() {
    kernels::dropout_add_norm<T>(read_position(in["position"]), site, probability, in["x"].spec.shape[0], eps,
                                 read<T>(in["x"]), read<T>(in["residual"]), read_float(in["gamma"]),
                                 read_float(in["beta"]), write<T>(out["sum"]), write<T>(out["y"]),
                                 write_float(out["mean"]), write_float(out["rstd"]));
  });
}

void dropout_add_norm_gradient(const KernelArguments& arguments) {
  const auto in = inputs<Op::dropout_add_norm_gradient>(arguments);
  const auto out = outputs<Op::dropout_add_norm_gradient>(arguments);
  const auto& [probability, site, eps] = std::get<DropoutNormAttributes>(arguments.node.attributes);
  with_real(in["sum"].spec.dtype, [&]<class T>() {
    kernels::dropout_add_norm_gradient<T>(read_position(in["position"]), site, probability, in["sum"].spec.shape[0],
                                          read<T>(in["sum"]), read_float(in["gamma"]), read_float(in["mean"]),
                                          read_float(in["rstd"]), read<T>(in["dy"]), write<T>(out["dx"]),
                                          write<T>(out["dresidual"]), write_float(out["dgamma"]),
                                          write_float(out["dbeta"]), scratch_as<float>(arguments));
  });
}

std::int64_t dropout_add_norm_gradient_scratch(const Graph& graph, const Node& node, int) {
  const Shape& sum = graph.spec(inputs_of<Op::dropout_add_norm_gradient>(node)["sum"]).shape;
  return kernels::dropout_add_norm_gradient_scratch(sum.rows(), sum.columns()) * size_of(DType::f32);
}

}  // namespace phasor::adapters
