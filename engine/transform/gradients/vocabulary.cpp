#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

// What comes as dsums is the message of vocabulary_loss_gradient, which is the same for every slice: sums_before gets
// none. dx is what this slice alone adds to it.
Gradients vocabulary_sums(Builder& b, const Node& node, std::span<const Value> dy) {
  const auto in = inputs_of<Op::vocabulary_sums>(node);
  const auto [dweight, dx] =
      b.vocabulary_gradient(in["x"], in["weight"], in["labels"], dy[0], std::get<VocabularyAttributes>(node.attributes),
                            {.position = in.optional("position"), .before = {}});
  return {dx, dweight};
}

Gradients vocabulary_loss(Builder& b, const Node& node, std::span<const Value> dy) {
  const auto in = inputs_of<Op::vocabulary_loss>(node);
  return {b.vocabulary_loss_gradient(in["sums"], in["label_weights"], dy[0]), Value{}};
}

}  // namespace phasor::gradients
