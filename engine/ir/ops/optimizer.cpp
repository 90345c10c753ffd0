#include <algorithm>

#include "engine/ir/ops/input_specs.h"

namespace phasor::rules {

// clip [1]: a factor of g. `rounded` is the new w in bf16.
Specs adam(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::adam> in(inputs);
  const TensorSpec& w = in["w"];
  in.expect("m", w);
  in.expect("v", w);
  in.expect("g", w);
  in.expect("step", kAdamStepSpec);
  if (in.has("clip")) in.expect("clip", {DType::f32, {1}});
  Specs outputs{w, w, w};
  if (std::get<AdamAttributes>(attributes).rounds) outputs.push_back({DType::bf16, w.shape});
  return outputs;
}

// sums: of the squares of w, and of those of the direction that the new moments give.
Specs lamb_moments(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::lamb_moments> in(inputs);
  const TensorSpec& m = in["m"];
  in.expect("v", m);
  in.expect("w", m);
  in.expect("g", m);
  in.expect("sums", kLambSumsSpec);
  in.expect("step", kAdamStepSpec);
  if (in.has("clip")) in.expect("clip", {DType::f32, {1}});
  return {m, m, kLambSumsSpec};
}

// `sums` are those of any number of replicas one behind the other.
Specs lamb_ratio(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::lamb_ratio> in(inputs);
  const std::int64_t replicas = std::max<std::int64_t>(1, in["sums"].elements() / kLambSumsSpec.elements());
  in.expect("sums", {DType::i64, {replicas * kLambSumsSpec.elements()}});
  return {{DType::f32, {1}}};
}

Specs lamb_weights(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::lamb_weights> in(inputs);
  const TensorSpec& w = in["w"];
  in.expect("m", w);
  in.expect("v", w);
  in.expect("step", kAdamStepSpec);
  in.expect("ratio", {DType::f32, {1}});
  Specs outputs{w};
  if (std::get<AdamAttributes>(attributes).rounds) outputs.push_back({DType::bf16, w.shape});
  return outputs;
}

Specs momentum(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::momentum> in(inputs);
  const TensorSpec& w = in["w"];
  in.expect("m", w);
  in.expect("g", w);
  in.expect("step", kAdamStepSpec);
  if (in.has("clip")) in.expect("clip", {DType::f32, {1}});
  Specs outputs{w, w};
  if (std::get<DescentAttributes>(attributes).rounds) outputs.push_back({DType::bf16, w.shape});
  return outputs;
}

Specs descent(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::descent> in(inputs);
  const TensorSpec& w = in["w"];
  in.expect("g", w);
  in.expect("step", kAdamStepSpec);
  if (in.has("clip")) in.expect("clip", {DType::f32, {1}});
  Specs outputs{w};
  if (std::get<DescentAttributes>(attributes).rounds) outputs.push_back({DType::bf16, w.shape});
  return outputs;
}

// Of so many whole rows of a matrix: g [rows * columns], flat. Sums are doubles, as their bits.
Specs adafactor_sums(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::adafactor_sums> in(inputs);
  const std::int64_t columns = std::get<AdafactorAttributes>(attributes).columns, rows = in["row_sums"].elements();
  in.expect("row_sums", {DType::i64, {rows}});
  in.expect("column_sums", {DType::i64, {columns}});
  in.expect("g", {DType::f32, {rows * columns}});
  in.expect("step", kAdamStepSpec);
  if (in.has("clip")) in.expect("clip", {DType::f32, {1}});
  return {in["row_sums"], in["column_sums"]};
}

// Of all matrices of a variable, one behind the other: rows first, then columns.
Specs adafactor_factors(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::adafactor_factors> in(inputs);
  const auto& a = std::get<AdafactorAttributes>(attributes);
  const Shape numbers{a.matrices * (a.rows + a.columns)};
  in.expect("moments", {DType::f32, numbers});
  in.expect("sums", {DType::i64, numbers});
  in.expect("step", kAdamStepSpec);
  return {in["moments"], in["moments"]};
}

Specs adafactor_squares(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::adafactor_squares> in(inputs);
  const std::int64_t columns = std::get<AdafactorAttributes>(attributes).columns, rows = in["row_factors"].elements();
  in.expect("squares", kSquareSumSpec);
  in.expect("g", {DType::f32, {rows * columns}});
  in.expect("row_factors", {DType::f32, {rows}});
  in.expect("column_factors", {DType::f32, {columns}});
  in.expect("step", kAdamStepSpec);
  if (in.has("clip")) in.expect("clip", {DType::f32, {1}});
  return {kSquareSumSpec};
}

Specs adafactor_weights(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::adafactor_weights> in(inputs);
  const auto& a = std::get<AdafactorAttributes>(attributes);
  const std::int64_t rows = in["row_factors"].elements();
  const TensorSpec w{DType::f32, {rows * a.columns}};
  in.expect("w", w);
  in.expect("g", w);
  in.expect("row_factors", {DType::f32, {rows}});
  in.expect("column_factors", {DType::f32, {a.columns}});
  in.expect("squares", kSquareSumSpec);
  in.expect("step", kAdamStepSpec);
  if (in.has("clip")) in.expect("clip", {DType::f32, {1}});
  Specs outputs{w};
  if (a.rounds) outputs.push_back({DType::bf16, w.shape});
  return outputs;
}

Specs stochastic_round(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::stochastic_round> in(inputs);
  const Shape& x = in["x"].shape;
  in.expect("x", {DType::f32, x});
  in.expect("position", kUpdatePositionSpec);
  return {{DType::bf16, x}};
}

// sum + the squares of x
Specs square_sum(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::square_sum> in(inputs);
  in.expect("sum", kSquareSumSpec);
  return {kSquareSumSpec};
}

// `sharded` are any number of sums one behind the other; clip [1], norm [1].
Specs clip_factor(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::clip_factor> in(inputs);
  const std::int64_t sums = in["sharded"].elements() / kSquareSumSpec.elements();
  in.expect("sharded", {DType::i64, {sums * kSquareSumSpec.elements()}});
  in.expect("whole", kSquareSumSpec);
  in.expect("step", kAdamStepSpec);
  return {{DType::f32, {1}}, {DType::f32, {1}}};
}

}  // namespace phasor::rules
