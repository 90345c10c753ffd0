#include "engine/base/ops/causal.h"
#include "engine/ir/ops/input_specs.h"

namespace phasor::rules {

namespace {

// A product of queries with keys, or of the probabilities with the values, in all heads of whole rows.
double product_flops(const TensorSpec& qkv, const Attributes& attributes) {
  const std::int64_t rows = qkv.shape[0], sequence = qkv.shape[1];
  const bool causal = std::get<AttentionAttributes>(attributes).causal;
  const auto pairs = static_cast<double>(causal ? causal_pairs(sequence) : sequence * sequence);
  const auto hidden = static_cast<double>(qkv.shape.columns()) / 3;
  return 2 * static_cast<double>(rows) * pairs * hidden;
}

template <Op op>
void expect_attention(const InputSpecs<op>& in, const AttentionAttributes& attributes) {
  const Shape& qkv = in["qkv"].shape;
  ensure(qkv.rank() == 3, "attention: qkv {} has rank {}, expected 3", to_string(qkv), qkv.rank());
  ensure(attributes.heads > 0 && qkv[2] % (3 * attributes.heads) == 0,
         "attention: qkv {} does not divide into 3 x {} heads", to_string(qkv), attributes.heads);
  in.expect_segments("segments", qkv);
  in.expect("position", kRandomPositionSpec);
}

TensorSpec out_spec(const TensorSpec& qkv) { return {qkv.dtype, {qkv.shape[0], qkv.shape[1], qkv.shape[2] / 3}}; }
TensorSpec log_sum_exp_spec(const Shape& qkv, const AttentionAttributes& attributes) {
  return {DType::f32, {qkv[0], attributes.heads, qkv[1]}};
}

}  // namespace

// qkv [rows, sequence, 3 hidden], segments [rows, segments of a row, 3]
//   -> out [rows, sequence, hidden], log_sum_exp [rows, heads, sequence]
Specs attention(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::attention> in(inputs);
  const auto& options = std::get<AttentionAttributes>(attributes);
  expect_attention(in, options);
  return {out_spec(in["qkv"]), log_sum_exp_spec(in["qkv"].shape, options)};
}

Specs attention_gradient(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::attention_gradient> in(inputs);
  const auto& options = std::get<AttentionAttributes>(attributes);
  expect_attention(in, options);
  in.expect("out", out_spec(in["qkv"]));
  in.expect("log_sum_exp", log_sum_exp_spec(in["qkv"].shape, options));
  in.expect("dout", out_spec(in["qkv"]));
  return {in["qkv"]};
}

// Forward: scores, out. Backward: the scores again, dv, dp, dq, dk.
double attention_flops(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  return 2 * product_flops(InputSpecs<Op::attention>(inputs)["qkv"], attributes);
}
double attention_gradient_flops(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  return 5 * product_flops(InputSpecs<Op::attention_gradient>(inputs)["qkv"], attributes);
}

}  // namespace phasor::rules
