#include "engine/runtime/packing.h"

#include <algorithm>

#include "engine/base/parallel.h"
#include "engine/kernels/product/product.h"
#include "engine/runtime/ops/adapters.h"

namespace phasor {

namespace {

// The products that a packed b is for: the number of their rows is any.
kernels::ProductShape packed_shape(const TensorSpec& b, bool transpose_b, Products products) {
  constexpr std::int64_t kRows = 512;
  return {.m = kRows,
          .n = transpose_b ? b.shape.rows() : b.shape.columns(),
          .k = transpose_b ? b.shape.columns() : b.shape.rows(),
          .transpose_b = transpose_b,
          .operands = b.dtype,
          .result = b.dtype,
          .backend = backend_name(products)};
}

struct PreparedPacking : Prepared {
  std::vector<std::unique_ptr<kernels::Packing>> operands;
  std::vector<std::int64_t> ends;  // of each operand's slices, counted over all operands
};

}  // namespace

std::int64_t packed_elements(const TensorSpec& b, bool transpose_b, Products products) {
  if (!is_real(b.dtype) || b.shape.columns() < kLeastPacked || b.shape.rows() < kLeastPacked) return 0;
  return kernels::packed_b_bytes(packed_shape(b, transpose_b, products)) / size_of(b.dtype);
}

std::unique_ptr<Prepared> adapters::prepare_pack(const Graph& graph, const Node& node, int) {
  auto prepared = std::make_unique<PreparedPacking>();
  std::int64_t end = 0;
  const auto& operands = std::get<PackAttributes>(node.attributes).operands;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const kernels::ProductShape shape =
        packed_shape(graph.spec(node.inputs[i]), operands[i].transpose_b, operands[i].products);
    prepared->operands.push_back(kernels::make_packing(shape));
    prepared->ends.push_back(end += prepared->operands.back()->slices());
  }
  return prepared;
}

void adapters::pack(const KernelArguments& arguments) {
  const auto& prepared = static_cast<const PreparedPacking&>(*arguments.prepared);
  const auto& ends = prepared.ends;
  parallel_for(ends.back(), [&](std::int64_t slice) {
    const auto i = std::ranges::upper_bound(ends, slice) - ends.begin();
    const std::int64_t first = i == 0 ? 0 : ends[i - 1];
    prepared.operands[i]->run(slice - first, arguments.inputs[i].data, arguments.outputs[i].data);
  });
}

}  // namespace phasor
