#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

// y = a b:   da = dy b',  db = a' dy      y = a b':  da = dy b,   db = dy' a
// y = a' b:  da = b dy',  db = a dy       y = a' b': da = b' dy', db = dy' a'
Gradients matmul(Builder& b, const Node& node, std::span<const Value> dy) {
  const auto [ta, tb] = std::get<MatmulAttributes>(node.attributes);
  const Value x = node.inputs[0], w = node.inputs[1], dout = dy[0];
  const Value dx = ta ? b.matmul(w, dout, {.transpose_a = tb, .transpose_b = true})
                      : b.matmul(dout, w, {.transpose_a = false, .transpose_b = !tb});
  const Value dw = tb ? b.matmul(dout, x, {.transpose_a = true, .transpose_b = ta})
                      : b.matmul(x, dout, {.transpose_a = !ta, .transpose_b = false});
  return {b.reshape(dx, b.shape(x)), b.reshape(dw, b.shape(w))};
}

}  // namespace phasor::gradients
