#include "engine/ir/ops/input_specs.h"

namespace phasor::rules {

namespace {
template <Op op>
void expect_rows(const InputSpecs<op>& in) {
  const Shape& logits = in["logits"].shape;
  ensure(logits.rank() == 2, "cross_entropy: logits {} have rank {}, expected 2", to_string(logits), logits.rank());
  in.expect("labels", {DType::i32, {logits[0]}});
  in.expect("weights", {DType::f32, {logits[0]}});
}
}  // namespace

// logits [rows, classes], labels [rows], weights [rows] -> loss [1]
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
