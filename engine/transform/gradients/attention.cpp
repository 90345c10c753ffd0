#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

// The mask is data. log_sum_exp is a result for the gradient's sake; nothing else may depend on it.
Gradients attention(Builder& b, const Node& node, std::span<const Value> dy) {
  ensure(!dy[1].valid(), "attention: log_sum_exp is not differentiable");
  const Value dqkv = b.attention_gradient(node.inputs[0], node.inputs[1], node.inputs[2],
                                          {.out = node.outputs[0], .log_sum_exp = node.outputs[1]}, dy[0],
                                          std::get<AttentionAttributes>(node.attributes));
  return {dqkv, Value{}, Value{}};
}

}  // namespace phasor::gradients
