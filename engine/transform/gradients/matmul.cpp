#include "engine/transform/gradients/rules.h"

namespace phasor::gradients {

// y = a b:   da = dy b',  db = a' dy      y = a b':  da = dy b,   db = dy' a
// y = a' b:  da = b dy',  db = a dy       y = a' b': da = b' dy', db = dy' a'
// A bias gets the sum of dy over the rows. b is taken for a variable, whose gradient is f32 whatever its own type.
Gradients matmul(Builder& b, const Node& node, std::span<const Value> dy) {
  const auto [ta, tb, result, packed_columns, products] = std::get<MatmulAttributes>(node.attributes);
  ensure(packed_columns == 0, "matmul: operands are packed after differentiation");
  const auto in = inputs_of<Op::matmul>(node);
  const Value x = in["a"], w = in["b"];
  const DType type = b.spec(x).dtype;  // of both operands, and so of dx
  const Value dout = b.convert(dy[0], type);
  const Value dx = ta ? b.matmul(w, dout, {.transpose_a = tb, .transpose_b = true, .result = type})
                      : b.matmul(dout, w, {.transpose_a = false, .transpose_b = !tb, .result = type});
  const Value dw = tb ? b.matmul(dout, x, {.transpose_a = true, .transpose_b = ta})
                      : b.matmul(x, dout, {.transpose_a = !ta, .transpose_b = false});
  Gradients gradients{b.reshape(dx, b.shape(x)), b.reshape(dw, b.shape(w))};
  if (in.has("bias")) gradients.push_back(b.reduce_sum(dy[0], b.shape(in["bias"])));
  return gradients;
}

}  // namespace phasor::gradients
