#include "engine/kernels/matmul.h"

#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

namespace {

kernels::ProductShape product_shape(const TensorSpec& a, const TensorSpec& b, const MatmulAttributes& attributes) {
  return {.m = attributes.transpose_a ? a.shape.columns() : a.shape.rows(),
          .n = attributes.packed_columns > 0 ? attributes.packed_columns
               : attributes.transpose_b      ? b.shape.rows()
                                             : b.shape.columns(),
          .k = attributes.transpose_a ? a.shape.rows() : a.shape.columns(),
          .transpose_a = attributes.transpose_a,
          .transpose_b = attributes.transpose_b,
          .operands = a.dtype,
          .result = attributes.result,
          .packed_b = attributes.packed_columns > 0};
}

kernels::ProductShape matmul_shape(const Graph& graph, const Node& node) {
  kernels::ProductShape shape = product_shape(graph.spec(node.inputs[0]), graph.spec(node.inputs[1]),
                                              std::get<MatmulAttributes>(node.attributes));
  shape.bias = node.inputs.size() == 3;
  return shape;
}

kernels::ProductShape matmul_add_shape(const Graph& graph, const Node& node) {
  kernels::ProductShape shape = product_shape(graph.spec(node.inputs[1]), graph.spec(node.inputs[2]),
                                              std::get<MatmulAttributes>(node.attributes));
  shape.accumulate = true;
  return shape;
}

}  // namespace

std::int64_t matmul_scratch(const Graph& graph, const Node& node, int threads) {
  return kernels::matmul_scratch_bytes(matmul_shape(graph, node), threads);
}
std::int64_t matmul_add_scratch(const Graph& graph, const Node& node, int threads) {
  return kernels::matmul_scratch_bytes(matmul_add_shape(graph, node), threads);
}

std::unique_ptr<Prepared> prepare_matmul(const Graph& graph, const Node& node, int threads) {
  return std::make_unique<PreparedKernel<kernels::Matmul>>(matmul_shape(graph, node), threads);
}
std::unique_ptr<Prepared> prepare_matmul_add(const Graph& graph, const Node& node, int threads) {
  return std::make_unique<PreparedKernel<kernels::Matmul>>(matmul_add_shape(graph, node), threads);
}

void matmul(const KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  const float* bias = in.size() == 3 ? read_float(in[2]).data() : nullptr;
  prepared_as<kernels::Matmul>(arguments).run(in[0].data, in[1].data, bias, arguments.outputs[0].data,
                                              arguments.scratch);
}

// The sum so far is moved to where the result goes, if that is another place.
void matmul_add(const KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  const TensorView& out = arguments.outputs[0];
  if (in[0].data != out.data) std::ranges::copy(read_float(in[0]), write_float(out).begin());
  prepared_as<kernels::Matmul>(arguments).run(in[1].data, in[2].data, nullptr, out.data, arguments.scratch);
}

}  // namespace phasor::adapters
