#include "engine/ir/ops/input_specs.h"

namespace phasor::rules {

namespace {
TensorSpec per_row(const TensorSpec& x) { return {DType::f32, {x.shape.rows()}}; }
TensorSpec per_column(const TensorSpec& x) { return {DType::f32, {x.shape.columns()}}; }
}  // namespace

Specs layer_norm(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::layer_norm> in(inputs);
  const TensorSpec& x = in["x"];
  in.expect("gamma", per_column(x));
  in.expect("beta", per_column(x));
  return {x, per_row(x), per_row(x)};
}

Specs layer_norm_gradient(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::layer_norm_gradient> in(inputs);
  const TensorSpec& x = in["x"];
  in.expect("gamma", per_column(x));
  in.expect("mean", per_row(x));
  in.expect("rstd", per_row(x));
  in.expect("dy", x);
  return {x, per_column(x), per_column(x)};
}

// The first dimension of x counts samples; with segments it counts rows and the next one their tokens.
Specs dropout_add_norm(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::dropout_add_norm> in(inputs);
  const TensorSpec& x = in["x"];
  in.expect("residual", x);
  in.expect("gamma", per_column(x));
  in.expect("beta", per_column(x));
  in.expect("position", kRandomPositionSpec);
  in.expect_segments("segments", x.shape);
  return {x, x, per_row(x), per_row(x)};
}

Specs dropout_add_norm_gradient(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::dropout_add_norm_gradient> in(inputs);
  const TensorSpec& sum = in["sum"];
  in.expect("gamma", per_column(sum));
  in.expect("mean", per_row(sum));
  in.expect("rstd", per_row(sum));
  in.expect("position", kRandomPositionSpec);
  in.expect("dy", sum);
  in.expect_segments("segments", sum.shape);
  return {sum, sum, per_column(sum), per_column(sum)};
}

}  // namespace phasor::rules
