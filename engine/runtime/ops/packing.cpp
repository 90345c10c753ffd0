#include "engine/runtime/packing.h"

#include "engine/base/parallel.h"
#include "engine/kernels/product.h"
#include "engine/runtime/ops/adapters.h"

namespace phasor {

namespace {

// Of the products that a packed b is for, with any number of rows.
kernels::ProductShape packed_shape(const TensorSpec& b, bool transpose_b) {
  constexpr std::int64_t kRows = 512;
  return {.m = kRows,
          .n = transpose_b ? b.shape.rows() : b.shape.columns(),
          .k = transpose_b ? b.shape.columns() : b.shape.rows(),
          .transpose_b = transpose_b,
          .operands = b.dtype,
          .result = b.dtype};
}

}  // namespace

std::int64_t packed_elements(const TensorSpec& b, bool transpose_b) {
  if (b.shape.columns() < kLeastPacked || b.shape.rows() < kLeastPacked) return 0;
  if (!is_real(b.dtype)) return 0;
  return kernels::packed_b_bytes(packed_shape(b, transpose_b)) / size_of(b.dtype);
}

void adapters::pack(const KernelArguments& arguments) {
  const auto& operands = std::get<PackAttributes>(arguments.node.attributes).operands;
  parallel_for(static_cast<std::int64_t>(operands.size()), [&](std::int64_t i) {
    const TensorView& b = arguments.inputs[i];
    kernels::pack_b(packed_shape(b.spec, operands[i].transpose_b), b.data, arguments.outputs[i].data);
  });
}

}  // namespace phasor
