#include "engine/ir/ops/rules.h"

namespace phasor::rules {

namespace {

// A product of all queries with all keys, or of the probabilities with the values, in all heads.
double product_flops(const TensorSpec& qkv) {
  const auto tokens = static_cast<double>(qkv.shape.rows());
  const auto sequence = static_cast<double>(qkv.shape[1]), hidden = static_cast<double>(qkv.shape.columns()) / 3;
  return 2 * tokens * sequence * hidden;
}

void expect_attention(std::span<const TensorSpec> inputs, const AttentionAttributes& attributes) {
  const Shape& qkv = inputs[0].shape;
  ensure(qkv.rank() == 3, "attention: qkv {} has rank {}, expected 3", to_string(qkv), qkv.rank());
  ensure(attributes.heads > 0 && qkv[2] % (3 * attributes.heads) == 0,
         "attention: qkv {} does not divide into 3 x {} heads", to_string(qkv), attributes.heads);
  expect_spec("attention", "mask", inputs[1], {DType::f32, {qkv[0], qkv[1]}});
  expect_spec("attention", "position", inputs[2], kRandomPositionSpec);
}

TensorSpec out_spec(const TensorSpec& qkv) { return {qkv.dtype, {qkv.shape[0], qkv.shape[1], qkv.shape[2] / 3}}; }
TensorSpec log_sum_exp_spec(const Shape& qkv, const AttentionAttributes& attributes) {
  return {DType::f32, {qkv[0], attributes.heads, qkv[1]}};
}

}  // namespace

// qkv [batch, sequence, 3 hidden], mask [batch, sequence], position -> out [batch, sequence, hidden], log_sum_exp
Specs attention(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const auto& options = std::get<AttentionAttributes>(attributes);
  expect_inputs("attention", inputs, 3);
  expect_attention(inputs, options);
  return {out_spec(inputs[0]), log_sum_exp_spec(inputs[0].shape, options)};
}

// qkv, mask, position, out, log_sum_exp, dout -> dqkv
Specs attention_gradient(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const auto& options = std::get<AttentionAttributes>(attributes);
  expect_inputs("attention_gradient", inputs, 6);
  expect_attention(inputs, options);
  expect_spec("attention_gradient", "out", inputs[3], out_spec(inputs[0]));
  expect_spec("attention_gradient", "log_sum_exp", inputs[4], log_sum_exp_spec(inputs[0].shape, options));
  expect_spec("attention_gradient", "dout", inputs[5], out_spec(inputs[0]));
  return {inputs[0]};
}

// Forward: scores, out. Backward: the scores again, dv, dp, dq, dk.
double attention_flops(std::span<const TensorSpec> inputs, const Attributes&) { return 2 * product_flops(inputs[0]); }
double attention_gradient_flops(std::span<const TensorSpec> inputs, const Attributes&) {
  return 5 * product_flops(inputs[0]);
}

}  // namespace phasor::rules
