#include "engine/ir/ops/input_specs.h"

namespace phasor::rules {

namespace {

TensorSpec sums_spec(std::int64_t tokens) { return {DType::f32, {tokens, 3}}; }

// x [..., h], weight [entries, h]
template <Op op>
void expect_table(const InputSpecs<op>& in) {
  const std::string_view name = op_info(op).name;
  const TensorSpec &x = in["x"], &weight = in["weight"];
  ensure(weight.shape.rank() == 2 && x.shape.rank() >= 2 && x.shape.columns() == weight.shape[1],
         "{}: x is {} and weight is {}", name, to_string(x), to_string(weight));
  ensure(is_real(weight.dtype) && (x.dtype == DType::f32 || x.dtype == weight.dtype), "{}: x is {} and weight is {}",
         name, to_string(x), to_string(weight));
}

// The same with what a slice comes with.
template <Op op>
void expect_weight(const InputSpecs<op>& in, const Attributes& attributes) {
  expect_table(in);
  const std::int64_t whole = std::get<VocabularyAttributes>(attributes).whole;
  const std::string_view name = op_info(op).name;
  const TensorSpec& weight = in["weight"];
  ensure(in.has("position") == (whole > 0), "{}: {} position, but the weight is {}", name,
         in.has("position") ? "a" : "no", whole > 0 ? "a slice" : "the whole vocabulary");
  if (whole == 0) return;
  in.expect("position", kRandomPositionSpec);
  ensure(weight.shape[0] % kVocabularyBlock == 0, "{}: a slice of {} entries, expected a multiple of {}", name,
         weight.shape[0], kVocabularyBlock);
}

// One of each token.
template <Op op>
void expect_labels(const InputSpecs<op>& in) {
  const Shape& x = in["x"].shape;
  in.expect("labels", {DType::i32, Shape(x.extents().first(static_cast<std::size_t>(x.rank()) - 1))});
}

template <Op op>
void expect_tokens(const InputSpecs<op>& in, const Attributes& attributes) {
  expect_weight(in, attributes);
  expect_labels(in);
}

template <Op op>
Specs gradients(const InputSpecs<op>& in, const Attributes& attributes) {
  expect_tokens(in, attributes);
  in.expect("dsums", sums_spec(in["x"].shape.rows()));
  if (in.has("dx_sum")) in.expect("dx_sum", in["x"]);
  return {{DType::f32, in["weight"].shape}, in["x"]};
}

// Of all logits.
template <Op op>
double flops(const InputSpecs<op>& in) {
  return 2.0 * static_cast<double>(in["x"].elements()) * static_cast<double>(in["weight"].shape[0]);
}

}  // namespace

Specs vocabulary_sums(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::vocabulary_sums> in(inputs);
  expect_tokens(in, attributes);
  in.expect("label_weights", {DType::f32, in["labels"].shape});
  const TensorSpec sums = sums_spec(in["x"].shape.rows());
  if (in.has("sums_before")) in.expect("sums_before", sums);
  return {sums};
}

Specs vocabulary_loss(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::vocabulary_loss> in(inputs);
  in.expect("sums", sums_spec(in["label_weights"].elements()));
  in.expect("label_weights", {DType::f32, in["label_weights"].shape});
  return {{DType::f32, {1}}};
}

Specs vocabulary_loss_gradient(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::vocabulary_loss_gradient> in(inputs);
  in.expect("sums", sums_spec(in["label_weights"].elements()));
  in.expect("label_weights", {DType::f32, in["label_weights"].shape});
  in.expect("dloss", {DType::f32, {1}});
  return {in["sums"]};
}

Specs vocabulary_gradient(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  return gradients(InputSpecs<Op::vocabulary_gradient>(inputs), attributes);
}

// dweight = sum + the gradient
Specs vocabulary_gradient_add(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::vocabulary_gradient_add> in(inputs);
  in.expect("sum", {DType::f32, in["weight"].shape});
  return gradients(in, attributes);
}

// dweight = sum + the gradient, of the whole vocabulary
Specs vocabulary_sums_with_gradient(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::vocabulary_sums_with_gradient> in(inputs);
  const TensorSpec &x = in["x"], &weight = in["weight"];
  ensure(x.dtype == DType::f32 && weight.dtype == DType::f32 && std::get<VocabularyAttributes>(attributes).whole == 0,
         "vocabulary_sums_with_gradient: x {} and weight {}, expected f32 and a whole table", to_string(x),
         to_string(weight));
  expect_table(in);
  expect_labels(in);
  in.expect("sum", {DType::f32, weight.shape});
  in.expect("label_weights", {DType::f32, in["labels"].shape});
  in.expect("dloss", {DType::f32, {1}});
  const TensorSpec sums = sums_spec(x.shape.rows());
  return {in["sum"], x, sums, sums};
}

// x [rows, tokens, h], last i32 [rows] -> [rows, entries of the whole]
Specs vocabulary_logits(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::vocabulary_logits> in(inputs);
  expect_weight(in, attributes);
  const Shape& x = in["x"].shape;
  ensure(x.rank() == 3, "vocabulary_logits: x {} has rank {}, expected 3", to_string(x), x.rank());
  in.expect("last", {DType::i32, {x[0]}});
  const std::int64_t whole = std::get<VocabularyAttributes>(attributes).whole;
  const TensorSpec logits{DType::f32, {x[0], whole > 0 ? whole : in["weight"].shape[0]}};
  if (in.has("logits_before")) in.expect("logits_before", logits);
  return {logits};
}

double vocabulary_sums_flops(std::span<const TensorSpec> inputs, const Attributes&) {
  return flops(InputSpecs<Op::vocabulary_sums>(inputs));
}

// Logits are made again.
double vocabulary_gradient_flops(std::span<const TensorSpec> inputs, const Attributes&) {
  return 3 * flops(InputSpecs<Op::vocabulary_gradient>(inputs));
}
double vocabulary_gradient_add_flops(std::span<const TensorSpec> inputs, const Attributes&) {
  return 3 * flops(InputSpecs<Op::vocabulary_gradient_add>(inputs));
}
double vocabulary_sums_with_gradient_flops(std::span<const TensorSpec> inputs, const Attributes&) {
  return 3 * flops(InputSpecs<Op::vocabulary_sums_with_gradient>(inputs));
}

double vocabulary_logits_flops(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::vocabulary_logits> in(inputs);
  return 2.0 * static_cast<double>(in["x"].shape[0]) * static_cast<double>(in["weight"].elements());
}

}  // namespace phasor::rules
