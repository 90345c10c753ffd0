#include "tests/ops/op_case.h"

namespace phasor::test {

namespace {

// Nothing is rounded, but for the step of the derivative.
OpCase relu_case() {
  OpCase c;
  c.name = "relu";
  const Value x = c.add_reals({3, 7, 5});
  c.add_output(c.builder().relu(x), 0);
  c.differentiable = {x};
  c.gradient_bound = rounding(1);
  return c;
}

OpCase relu_gradient_case() {
  OpCase c;
  c.name = "relu_gradient";
  const Value y = c.add_reals({3, 7, 5}), dy = c.add_reals({3, 7, 5});
  c.add_output(c.builder().relu_gradient(y, dy), 0);
  return c;
}

}  // namespace

std::vector<OpCase> relu_cases() { return {relu_case(), relu_gradient_case()}; }

namespace {

TEST(ReluOps, FastAgreesWithReference) {
  for (const OpCase& c : relu_cases()) expect_fast_agrees(c);
}

TEST(ReluOps, GradientIsTheDerivative) { expect_gradient_is_the_derivative(relu_case()); }

}  // namespace
}  // namespace phasor::test
