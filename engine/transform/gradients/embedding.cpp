#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

Gradients embedding(Builder& b, const Node& node, std::span<const Value> dy) {
  const Value ids = inputs_of<Op::embedding>(node)["ids"];
  return {b.embedding_gradient(ids, dy[0], std::get<EmbeddingAttributes>(node.attributes)), Value{}};
}

// dtable of the slice's entries. No dx: every id is in one slice alone, so that all slices take dy as it is.
Gradients embedding_slice(Builder& b, const Node& node, std::span<const Value> dy) {
  const auto in = inputs_of<Op::embedding_slice>(node);
  const Value dtable =
      b.embedding_gradient(in["ids"], dy[0], std::get<EmbeddingAttributes>(node.attributes), in["position"]);
  return {Value{}, dtable, Value{}, Value{}};
}

}  // namespace phasor::gradients
