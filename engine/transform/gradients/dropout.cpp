#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

// y = x * keep / (1 - p):  dx = dy * keep / (1 - p), the same function of dy at the same position
Gradients dropout(Builder& b, const Node& node, std::span<const Value> dy) {
  return {b.dropout(dy[0], inputs_of<Op::dropout>(node)["position"], std::get<DropoutAttributes>(node.attributes)),
          Value{}};
}

}  // namespace phasor::gradients
