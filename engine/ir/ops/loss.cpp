#include "engine/ir/ops/rules.h"

namespace phasor::rules {

namespace {
void expect_rows(std::span<const TensorSpec> inputs) {
  const Shape& logits = inputs[0].shape;
  ensure(logits.rank() == 2, "cross_entropy: logits {} have rank {}, expected 2", to_string(logits), logits.rank());
  expect_spec("cross_entropy", "labels", inputs[1], {DType::i32, {logits[0]}});
  expect_spec("cross_entropy", "weights", inputs[2], {DType::f32, {logits[0]}});
}
}  // namespace

// logits [rows, classes], labels [rows], weights [rows] -> loss [1]
Specs cross_entropy(std::span<const TensorSpec> inputs, const Attributes&) {
  expect_inputs("cross_entropy", inputs, 3);
  expect_rows(inputs);
  return {{DType::f32, {1}}};
}

// logits, labels, weights, dloss -> dlogits
Specs cross_entropy_gradient(std::span<const TensorSpec> inputs, const Attributes&) {
  expect_inputs("cross_entropy_gradient", inputs, 4);
  expect_rows(inputs);
  expect_spec("cross_entropy_gradient", "dloss", inputs[3], {DType::f32, {1}});
  return {inputs[0]};
}

}  // namespace phasor::rules
