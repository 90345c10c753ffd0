#include "engine/ir/ops/rules.h"

namespace phasor::rules {

// w, m, v, g, step, and optionally a clip factor [1] -> w, m, v, and optionally w rounded to bf16
Specs adam(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  ensure(inputs.size() == 5 || inputs.size() == 6, "adam: {} inputs, expected 5 or 6", inputs.size());
  for (int i = 1; i <= 3; ++i) expect_spec("adam", "m, v or g", inputs[i], inputs[0]);
  expect_spec("adam", "step", inputs[4], kAdamStepSpec);
  if (inputs.size() == 6) expect_spec("adam", "clip", inputs[5], {DType::f32, {1}});
  Specs outputs{inputs[0], inputs[1], inputs[2]};
  if (std::get<AdamAttributes>(attributes).rounds) outputs.push_back({DType::bf16, inputs[0].shape});
  return outputs;
}

// x, position -> y
Specs stochastic_round(std::span<const TensorSpec> inputs, const Attributes&) {
  expect_inputs("stochastic_round", inputs, 2);
  expect_spec("stochastic_round", "x", inputs[0], {DType::f32, inputs[0].shape});
  expect_spec("stochastic_round", "position", inputs[1], kUpdatePositionSpec);
  return {{DType::bf16, inputs[0].shape}};
}

// sum, x -> sum + the squares of x
Specs square_sum(std::span<const TensorSpec> inputs, const Attributes&) {
  expect_inputs("square_sum", inputs, 2);
  expect_spec("square_sum", "sum", inputs[0], kSquareSumSpec);
  return {kSquareSumSpec};
}

// any number of sums one behind the other, one sum, step -> clip [1]
Specs clip_factor(std::span<const TensorSpec> inputs, const Attributes&) {
  expect_inputs("clip_factor", inputs, 3);
  const std::int64_t sums = inputs[0].shape.elements() / kSquareSumSpec.shape.elements();
  expect_spec("clip_factor", "sharded", inputs[0], {DType::i64, {sums * kSquareSumSpec.shape.elements()}});
  expect_spec("clip_factor", "whole", inputs[1], kSquareSumSpec);
  expect_spec("clip_factor", "step", inputs[2], kAdamStepSpec);
  return {{DType::f32, {1}}};
}

}  // namespace phasor::rules
