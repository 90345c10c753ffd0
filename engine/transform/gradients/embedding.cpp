#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

Gradients embedding(Builder& b, const Node& node, std::span<const Value> dy) {
  return {b.embedding_gradient(node.inputs[1], dy[0], std::get<EmbeddingAttributes>(node.attributes)), Value{}};
}

// dtable of the slice's entries. No dx: every id is in one slice alone, so that all slices take dy as it is.
Gradients embedding_slice(Builder& b, const Node& node, std::span<const Value> dy) {
  const Value dtable =
      b.embedding_gradient(node.inputs[2], dy[0], std::get<EmbeddingAttributes>(node.attributes), node.inputs[3]);
  return {Value{}, dtable, Value{}, Value{}};
}

}  // namespace phasor::gradients
