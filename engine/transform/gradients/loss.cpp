#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

Gradients cross_entropy(Builder& b, const Node& node, std::span<const Value> dy) {
  const auto in = inputs_of<Op::cross_entropy>(node);
  const Value dlogits =
      b.cross_entropy_gradient(in["logits"], in["labels"], in["weights"], dy[0], in.optional("segments"));
  return {dlogits, Value{}, Value{}};
}

}  // namespace phasor::gradients
