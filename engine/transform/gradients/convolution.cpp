#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

// The weight is taken for a variable, whose gradient is f32 whatever its own type.
Gradients conv2d(Builder& b, const Node& node, std::span<const Value> dy) {
  const auto in = inputs_of<Op::conv2d>(node);
  const auto& attributes = std::get<ConvolutionAttributes>(node.attributes);
  const auto [dweight, dbias] = b.conv2d_weight_gradient(in["x"], dy[0], b.shape(in["weight"]), attributes);
  return {b.conv2d_input_gradient(in["weight"], dy[0], b.shape(in["x"]), attributes), dweight, dbias};
}

}  // namespace phasor::gradients
