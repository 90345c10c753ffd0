// Which operands of products are worth laying out anew, and how large they then are.
#pragma once

#include "engine/base/tensor.h"
#include "engine/ir/graph.h"

namespace phasor {

// Operands with fewer rows or columns are multiplied as they are.
inline constexpr std::int64_t kLeastPacked = 64;

// PackAttributes::elements for the b of a product, stored [n, k] where transpose_b says so; 0: not worth packing.
std::int64_t packed_elements(const TensorSpec& b, bool transpose_b, Products products = Products::automatic);

// Of a matmul whose b may be packed: whether it has the same bits where b is as it lies.
bool packing_keeps_bits(const Graph& graph, const Node& matmul);

}  // namespace phasor
