#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

// Mean and rstd are results for the gradient's sake; nothing else may depend on them.
Gradients layer_norm(Builder& b, const Node& node, std::span<const Value> dy) {
  ensure(!dy[1].valid() && !dy[2].valid(), "layer_norm: the mean and rstd are not differentiable");
  const auto g = b.layer_norm_gradient(node.inputs[0], node.inputs[1], node.outputs[1], node.outputs[2], dy[0]);
  return {g.dx, g.dgamma, g.dbeta};
}

// The sum is kept for the gradient's sake, too.
Gradients dropout_add_norm(Builder& b, const Node& node, std::span<const Value> dy) {
  ensure(!dy[0].valid() && !dy[2].valid() && !dy[3].valid(),
         "dropout_add_norm: the sum, the mean and rstd are not differentiable");
  const auto& out = node.outputs;
  const auto g =
      b.dropout_add_norm_gradient({.sum = out[0], .y = out[1], .mean = out[2], .rstd = out[3]}, node.inputs[2],
                                  node.inputs[4], dy[1], std::get<DropoutNormAttributes>(node.attributes));
  return {g.dx, g.dresidual, g.dgamma, g.dbeta, Value{}};
}

}  // namespace phasor::gradients
