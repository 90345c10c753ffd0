#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

Gradients transpose(Builder& b, const Node& node, std::span<const Value> dy) {
  const Value dx = b.transpose(dy[0]);
  return {b.reshape(dx, b.shape(inputs_of<Op::transpose>(node)["x"]))};
}

Gradients reshape(Builder& b, const Node& node, std::span<const Value> dy) {
  return {b.reshape(dy[0], b.shape(inputs_of<Op::reshape>(node)["x"]))};
}

Gradients convert(Builder& b, const Node& node, std::span<const Value> dy) {
  return {b.convert(dy[0], b.spec(inputs_of<Op::convert>(node)["x"]).dtype)};
}

}  // namespace phasor::gradients
