#include "engine/kernels/norm.h"

#include "engine/kernels/dropout_add_norm.h"
#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

void layer_norm(const KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  const auto& out = arguments.outputs;
  with_real(in[0].spec.dtype, [&]<class T>() {
    kernels::layer_norm<T>(std::get<NormAttributes>(arguments.node.attributes).eps, read<T>(in[0]), read_float(in[1]),
                           read_float(in[2]), write<T>(out[0]), write_float(out[1]), write_float(out[2]));
  });
}

void layer_norm_gradient(const KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  const auto& out = arguments.outputs;
  with_real(in[0].spec.dtype, [&]<class T>() {
    kernels::layer_norm_gradient<T>(read<T>(in[0]), read_float(in[1]), read_float(in[2]), read_float(in[3]),
                                    read<T>(in[4]), write<T>(out[0]), write_float(out[1]), write_float(out[2]),
                                    scratch_as<float>(arguments));
  });
}

std::int64_t layer_norm_gradient_scratch(const Graph& graph, const Node& node, int) {
  const Shape& x = graph.spec(node.inputs[0]).shape;
  return kernels::layer_norm_gradient_scratch(x.rows(), x.columns()) * size_of(DType::f32);
}

void dropout_add_norm(const KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  const auto& out = arguments.outputs;
  const auto& [probability, site, eps] = std::get<DropoutNormAttributes>(arguments.node.attributes);
  with_real(in[0].spec.dtype, [&]<class T>() {
    kernels::dropout_add_norm<T>(read_position(in[4]), site, probability, in[0].spec.shape[0], eps, read<T>(in[0]),
                                 read<T>(in[1]), read_float(in[2]), read_float(in[3]), write<T>(out[0]),
                                 write<T>(out[1]), write_float(out[2]), write_float(out[3]));
  });
}

void dropout_add_norm_gradient(const KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  const auto& out = arguments.outputs;
  const auto& [probability, site, eps] = std::get<DropoutNormAttributes>(arguments.node.attributes);
  with_real(in[0].spec.dtype, [&]<class T>() {
    kernels::dropout_add_norm_gradient<T>(read_position(in[4]), site, probability, in[0].spec.shape[0], read<T>(in[0]),
                                          read_float(in[1]), read_float(in[2]), read_float(in[3]), read<T>(in[5]),
                                          write<T>(out[0]), write<T>(out[1]), write_float(out[2]), write_float(out[3]),
                                          scratch_as<float>(arguments));
  });
}

std::int64_t dropout_add_norm_gradient_scratch(const Graph& graph, const Node& node, int) {
  const Shape& x = graph.spec(node.inputs[0]).shape;
  return kernels::dropout_add_norm_gradient_scratch(x.rows(), x.columns()) * size_of(DType::f32);
}

}  // namespace phasor::adapters
