#include "engine/base/ops/causal.h"
#include "engine/ir/ops/input_specs.h"

namespace phasor::rules {

namespace {

// A product of queries with keys, or of the probabilities with the values, in all heads of rows full of the longest
// segments.
double product_flops(const TensorSpec& qkv, const Attributes& attributes) {
  const auto& options = std::get<AttentionAttributes>(attributes);
  const std::int64_t longest = options.longest > 0 ? options.longest : qkv.shape[1];
  if (longest == 0) return 0;
  const auto pairs = static_cast<double>(options.causal ? causal_pairs(longest) : longest * longest);
  const auto segments = static_cast<double>(qkv.shape.rows()) / static_cast<double>(longest);
  const auto hidden = static_cast<double>(qkv.shape.columns()) / 3;
  return 2 * segments * pairs * hidden;
}

template <Op op>
void expect_attention(const InputSpecs<op>& in, const AttentionAttributes& attributes) {
  const Shape& qkv = in["qkv"].shape;
  ensure(qkv.rank() == 3, "attention: qkv {} has rank {}, expected 3", to_string(qkv), qkv.rank());
  ensure(attributes.heads > 0 && qkv[2] % (3 * attributes.heads) == 0,
         "attention: qkv {} does not divide into 3 x {} heads", to_string(qkv), attributes.heads);
  ensure(attributes.longest >= 0, "attention: segments of {} tokens", attributes.longest);
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

// cache [rows, room, 2 hidden], qkv [rows, tokens, 3 hidden], places and last as the kernel has them
//   -> cache, out [rows, tokens, hidden]
Specs attention_cached(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::attention_cached> in(inputs);
  const std::int64_t heads = std::get<CachedAttentionAttributes>(attributes).heads;
  const Shape &qkv = in["qkv"].shape, &cache = in["cache"].shape;
  ensure(qkv.rank() == 3 && heads > 0 && qkv[2] % (3 * heads) == 0,
         "attention_cached: qkv {} does not divide into 3 x {} heads", to_string(qkv), heads);
  ensure(cache.rank() == 3, "attention_cached: cache {} has rank {}, expected 3", to_string(cache), cache.rank());
  in.expect("cache", {in["qkv"].dtype, {qkv[0], cache[1], qkv[2] / 3 * 2}});
  in.expect("places", {DType::i32, {qkv[0], qkv[1]}});
  in.expect("last", {DType::i32, {qkv[0]}});
  return {in["cache"], out_spec(in["qkv"])};
}

// As if every token saw all of the room.
double attention_cached_flops(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::attention_cached> in(inputs);
  const auto hidden = static_cast<double>(in["qkv"].shape.columns()) / 3;
  return 4 * static_cast<double>(in["qkv"].shape.rows()) * static_cast<double>(in["cache"].shape[1]) * hidden;
}

}  // namespace phasor::rules
