#include "engine/ir/ops/input_specs.h"

namespace phasor::rules {

namespace {
template <Op op>
void expect_rows(const InputSpecs<op>& in) {
  const Shape& logits = in["logits"].shape;
  ensure(logits.rank() == 2, "cross_entropy: logits {} have rank {}, expected 2", to_string(logits), logits.rank());
  if (!in.has("segments")) {
    in.expect("labels", {DType::i32, {logits[0]}});
    in.expect("weights", {DType::f32, {logits[0]}});
    return;
  }
  const Shape& segments = in["segments"].shape;
  ensure(segments.rank() == 3 && segments[0] > 0 && logits[0] % segments[0] == 0,
         "cross_entropy: {} rows of logits about segments {}", logits[0], to_string(segments));
  in.expect_segments("segments", Shape{segments[0], logits[1]});
  in.expect("labels", {DType::i32, {logits[0], segments[1]}});
  in.expect("weights", {DType::f32, {logits[0], segments[1]}});
}
}  // namespace

// logits [rows, classes], labels [rows], weights [rows] -> loss [1]
// With segments, classes are a row's tokens, and labels and weights [rows, segments of a row].
Specs cross_entropy(std::span<const TensorSpec> inputs, const Attributes&) {
  expect_rows(InputSpecs<Op::cross_entropy>(inputs));
  return {{DType::f32, {1}}};
}

Specs cross_entropy_gradient(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::cross_entropy_gradient> in(inputs);
  expect_rows(in);
  in.expect("dloss", {DType::f32, {1}});
  return {in["logits"]};
}

}  // namespace phasor::rules
