#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

Gradients cross_entropy(Builder& b, const Node& node, std::span<const Value> dy) {
  return {b.cross_entropy_gradient(node.inputs[0], node.inputs[1], node.inputs[2], dy[0]), Value{}, Value{}};
}

}  // namespace phasor::gradients
