#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

Gradients gelu(Builder& b, const Node& node, std::span<const Value> dy) {
  return {b.gelu_gradient(inputs_of<Op::gelu>(node)["x"], dy[0], std::get<GeluAttributes>(node.attributes))};
}

}  // namespace phasor::gradients
