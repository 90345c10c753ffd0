#include "engine/kernels/matmul.h"

#include "engine/runtime/ops/adapters.h"
#include "engine/runtime/packing.h"

namespace phasor {

namespace adapters {

namespace {

template <Op op>
kernels::ProductShape product_shape(const Graph& graph, const Node& node) {
  const auto& attributes = std::get<MatmulAttributes>(node.attributes);
  const auto in = inputs_of<op>(node);
  const TensorSpec &a = graph.spec(in["a"]), &b = graph.spec(in["b"]);
  return {.m = attributes.transpose_a ? a.shape.columns() : a.shape.rows(),
          .n = attributes.packed_columns > 0 ? attributes.packed_columns
               : attributes.transpose_b      ? b.shape.rows()
                                             : b.shape.columns(),
          .k = attributes.transpose_a ? a.shape.rows() : a.shape.columns(),
          .transpose_a = attributes.transpose_a,
          .transpose_b = attributes.transpose_b,
          .operands = a.dtype,
          .result = attributes.result,
          .packed_b = attributes.packed_columns > 0,
          .backend = backend_name(attributes.products)};
}

kernels::ProductShape matmul_shape(const Graph& graph, const Node& node) {
  kernels::ProductShape shape = product_shape<Op::matmul>(graph, node);
  shape.bias = inputs_of<Op::matmul>(node).has("bias");
  return shape;
}

kernels::ProductShape matmul_add_shape(const Graph& graph, const Node& node) {
  kernels::ProductShape shape = product_shape<Op::matmul_add>(graph, node);
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
  const auto in = inputs<Op::matmul>(arguments);
  const TensorView& y = outputs<Op::matmul>(arguments)["y"];
  const float* bias = in.has("bias") ? read_float(in["bias"]).data() : nullptr;
  prepared_as<kernels::Matmul>(arguments).run(in["a"].data, in["b"].data, bias, y.data, arguments.scratch);
}

// The sum so far is moved to where the result goes, if that is another place.
void matmul_add(const KernelArguments& arguments) {
  const auto in = inputs<Op::matmul_add>(arguments);
  const TensorView &sum = in["sum"], &y = outputs<Op::matmul_add>(arguments)["y"];
  if (sum.data != y.data) std::ranges::copy(read_float(sum), write_float(y).begin());
  prepared_as<kernels::Matmul>(arguments).run(in["a"].data, in["b"].data, nullptr, y.data, arguments.scratch);
}

}  // namespace adapters

bool packing_keeps_bits(const Graph& graph, const Node& matmul) {
  return kernels::packing_keeps_bits(adapters::matmul_shape(graph, matmul));
}

}  // namespace phasor
