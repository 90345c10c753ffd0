#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

// Mean and rstd are results for the gradient's sake; nothing else may depend on them.
Gradients layer_norm(Builder& b, const Node& node, std::span<const Value> dy) {
  const auto in = inputs_of<Op::layer_norm>(node);
  const auto out = outputs_of<Op::layer_norm>(node);
  const Outputs<Op::layer_norm, Value> d(dy);
  ensure(!d["mean"].valid() && !d["rstd"].valid(), "layer_norm: the mean and rstd are not differentiable");
  const auto g = b.layer_norm_gradient(in["x"], in["gamma"], out["mean"], out["rstd"], d["y"]);
  return {g.dx, g.dgamma, g.dbeta};
}

// The sum is kept for the gradient's sake, too.
Gradients dropout_add_norm(Builder& b, const Node& node, std::span<const Value> dy) {
  const auto in = inputs_of<Op::dropout_add_norm>(node);
  const auto out = outputs_of<Op::dropout_add_norm>(node);
  const Outputs<Op::dropout_add_norm, Value> d(dy);
  ensure(!d["sum"].valid() && !d["mean"].valid() && !d["rstd"].valid(),
         "dropout_add_norm: the sum, the mean and rstd are not differentiable");
  const auto g = b.dropout_add_norm_gradient(
      {.sum = out["sum"], .y = out["y"], .mean = out["mean"], .rstd = out["rstd"]}, in["gamma"], in["position"], d["y"],
      std::get<DropoutNormAttributes>(node.attributes), in.optional("segments"));
  return {g.dx, g.dresidual, g.dgamma, g.dbeta, Value{}};
}

}  // namespace phasor::gradients
