#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

// y = x * keep / (1 - p):  dx = dy * keep / (1 - p), the same function of dy at the same position
Gradients dropout(Builder& b, const Node& node, std::span<const Value> dy) {
  const auto in = inputs_of<Op::dropout>(node);
  const Value dx =
      b.dropout(dy[0], in["position"], std::get<DropoutAttributes>(node.attributes), in.optional("segments"));
  return {dx, Value{}};
}

}  // namespace phasor::gradients
