#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

// y = x + b, b repeated over the leading dimensions:  dx = dy,  db = sum over these dimensions of dy
Gradients add(Builder& b, const Node& node, std::span<const Value> dy) {
  const Shape& bias = b.shape(inputs_of<Op::add>(node)["b"]);
  const Value dbias = b.shape(dy[0]) == bias ? dy[0] : b.reduce_sum(dy[0], bias);
  return {dy[0], dbias};
}

}  // namespace phasor::gradients
