#include "engine/kernels/norm.h"

#include <optional>

#include "engine/kernels/dropout_add_norm.h"
#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

namespace {
template <Op op>
std::optional<Segments> optional_segments(const Inputs<op, TensorView>& in, const Shape& tensor) {
  if (!in.has("segments")) return {};
  return read_segments(in["segments"], tensor);
}
}  // namespace

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
    kernels::layer_norm_gradient<T>({.x = read<T>(in["x"]),
                                     .gamma = read_float(in["gamma"]),
                                     .mean = read_float(in["mean"]),
                                     .rstd = read_float(in["rstd"]),
                                     .dy = read<T>(in["dy"]),
                                     .dx = write<T>(out["dx"]),
                                     .dgamma = write_float(out["dgamma"]),
                                     .dbeta = write_float(out["dbeta"]),
                                     .scratch = scratch_as<float>(arguments)});
  });
}

std::int64_t layer_norm_gradient_scratch(const Graph& graph, const Node& node, int) {
  const Shape& x = graph.spec(inputs_of<Op::layer_norm_gradient>(node)["x"]).shape;
  return kernels::layer_norm_gradient_scratch(x.rows(), x.columns()) * size_of(DType::f32);
}

void dropout_add_norm(const KernelArguments& arguments) {
  const auto in = inputs<Op::dropout_add_norm>(arguments);
  const auto out = outputs<Op::dropout_add_norm>(arguments);
  const auto& attributes = std::get<DropoutNormAttributes>(arguments.node.attributes);
  const auto segments = optional_segments<Op::dropout_add_norm>(in, in["x"].spec.shape);
  with_real(in["x"].spec.dtype, [&]<class T>() {
    kernels::dropout_add_norm<T>({.position = read_position(in["position"]),
                                  .site = attributes.site,
                                  .probability = attributes.probability,
                                  .samples = in["x"].spec.shape[0],
                                  .segments = segments ? &*segments : nullptr,
                                  .eps = attributes.eps,
                                  .x = read<T>(in["x"]),
                                  .residual = read<T>(in["residual"]),
                                  .gamma = read_float(in["gamma"]),
                                  .beta = read_float(in["beta"]),
                                  .sum = write<T>(out["sum"]),
                                  .y = write<T>(out["y"]),
                                  .mean = write_float(out["mean"]),
                                  .rstd = write_float(out["rstd"])});
  });
}

void dropout_add_norm_gradient(const KernelArguments& arguments) {
  const auto in = inputs<Op::dropout_add_norm_gradient>(arguments);
  const auto out = outputs<Op::dropout_add_norm_gradient>(arguments);
  const auto& attributes = std::get<DropoutNormAttributes>(arguments.node.attributes);
  const auto segments = optional_segments<Op::dropout_add_norm_gradient>(in, in["sum"].spec.shape);
  with_real(in["sum"].spec.dtype, [&]<class T>() {
    kernels::dropout_add_norm_gradient<T>({.position = read_position(in["position"]),
                                           .site = attributes.site,
                                           .probability = attributes.probability,
                                           .samples = in["sum"].spec.shape[0],
                                           .segments = segments ? &*segments : nullptr,
                                           .sum = read<T>(in["sum"]),
                                           .gamma = read_float(in["gamma"]),
                                           .mean = read_float(in["mean"]),
                                           .rstd = read_float(in["rstd"]),
                                           .dy = read<T>(in["dy"]),
                                           .dx = write<T>(out["dx"]),
                                           .dresidual = write<T>(out["dresidual"]),
                                           .dgamma = write_float(out["dgamma"]),
                                           .dbeta = write_float(out["dbeta"]),
                                           .scratch = scratch_as<float>(arguments)});
  });
}

std::int64_t dropout_add_norm_gradient_scratch(const Graph& graph, const Node& node, int) {
  const Shape& sum = graph.spec(inputs_of<Op::dropout_add_norm_gradient>(node)["sum"]).shape;
  return kernels::dropout_add_norm_gradient_scratch(sum.rows(), sum.columns()) * size_of(DType::f32);
}

}  // namespace phasor::adapters
