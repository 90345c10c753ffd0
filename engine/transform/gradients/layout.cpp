#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

Gradients transpose(Builder& b, const Node& node, std::span<const Value> dy) {
  const Value dx = b.transpose(dy[0]);
  return {b.reshape(dx, b.shape(node.inputs[0]))};
}

Gradients reshape(Builder& b, const Node& node, std::span<const Value> dy) {
  return {b.reshape(dy[0], b.shape(node.inputs[0]))};
}

Gradients convert(Builder& b, const Node& node, std::span<const Value> dy) {
  return {b.convert(dy[0], b.spec(node.inputs[0]).dtype)};
}

}  // namespace phasor::gradients
