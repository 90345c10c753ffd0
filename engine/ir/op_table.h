// One row for each op: its name, its shape rule, its cost, and what it may overwrite.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/ir/graph.h"

namespace phasor {

using Specs = std::vector<TensorSpec>;

// The specs of the outputs. Throws InternalError, naming the facts, where the inputs do not fit the op.
using ShapeRule = Specs (*)(std::span<const TensorSpec> inputs, const Attributes& attributes);

// Floating-point operations of the op's products (a multiply-add counts as two); element-wise work counts as none,
// its cost is the bytes that it moves.
using FlopRule = double (*)(std::span<const TensorSpec> inputs, const Attributes& attributes);

struct OpInfo {
  std::string_view name;
  ShapeRule shapes = nullptr;
  FlopRule flops = nullptr;     // null: no products
  int overwritable_inputs = 0;  // output k may lie where input k lies, for k below this number
};

const OpInfo& op_info(Op op);

}  // namespace phasor
