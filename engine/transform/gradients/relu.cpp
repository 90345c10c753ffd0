#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

Gradients relu(Builder& b, const Node& node, std::span<const Value> dy) {
  return {b.relu_gradient(outputs_of<Op::relu>(node)["y"], dy[0])};
}

}  // namespace phasor::gradients
