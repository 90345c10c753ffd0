#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

Gradients embedding(Builder& b, const Node& node, std::span<const Value> dy) {
  return {b.embedding_gradient(node.inputs[1], dy[0], std::get<EmbeddingAttributes>(node.attributes)), Value{}};
}

}  // namespace phasor::gradients
