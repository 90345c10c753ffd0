#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

// The segments are data. log_sum_exp is a result for the gradient's sake; nothing else may depend on it.
Gradients attention(Builder& b, const Node& node, std::span<const Value> dy) {
  const auto in = inputs_of<Op::attention>(node);
  const auto out = outputs_of<Op::attention>(node);
  const Outputs<Op::attention, Value> d(dy);
  ensure(!d["log_sum_exp"].valid(), "attention: log_sum_exp is not differentiable");
  const Value dqkv = b.attention_gradient(in["qkv"], in["segments"], in["position"],
                                          {.out = out["out"], .log_sum_exp = out["log_sum_exp"]}, d["out"],
                                          std::get<AttentionAttributes>(node.attributes));
  return {dqkv, Value{}, Value{}};
}

}  // namespace phasor::gradients
