#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

// Mean and rstd are results for the gradient's sake; nothing else may depend on them.
Gradients layer_norm(Builder& b, const Node& node, std::span<const Value> dy) {
  ensure(!dy[1].valid() && !dy[2].valid(), "layer_norm: the mean and rstd are not differentiable");
  const auto g = b.layer_norm_gradient(node.inputs[0], node.inputs[1], node.outputs[1], node.outputs[2], dy[0]);
  return {g.dx, g.dgamma, g.dbeta};
}

}  // namespace phasor::gradients
