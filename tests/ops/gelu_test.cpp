#include "tests/ops/op_case.h"

namespace phasor::test {

namespace {

constexpr float kRange = 4;
// Phi is at most 1 and |x| phi(x) at most 1/4.
constexpr double kSlope = 1.25;

OpCase gelu_case() {
  OpCase c;
  c.name = "gelu";
  const Value x = c.add_reals({3, 7, 5}, -kRange, kRange);
  c.add_output(c.builder().gelu(x), rounding(kNormalRoundings + 2) * kRange);
  c.differentiable = {x};
  c.gradient_bound = rounding(kNormalRoundings + 3) * kSlope;
  return c;
}

OpCase gelu_gradient_case() {
  OpCase c;
  c.name = "gelu_gradient";
  const Value x = c.add_reals({3, 7, 5}, -kRange, kRange), dy = c.add_reals({3, 7, 5});
  c.add_output(c.builder().gelu_gradient(x, dy), rounding(kNormalRoundings + 3) * kSlope);
  return c;
}

OpCase gelu_with_gradient_case() {
  OpCase c;
  c.name = "gelu_with_gradient";
  const Value x = c.add_reals({3, 7, 5}, -kRange, kRange), dy = c.add_reals({3, 7, 5});
  const auto outputs = c.builder().append(Op::gelu_with_gradient, {x, dy});
  c.add_output(outputs[0], rounding(kNormalRoundings + 3) * kSlope);
  c.add_output(outputs[1], rounding(kNormalRoundings + 2) * kRange);
  return c;
}

}  // namespace

std::vector<OpCase> gelu_cases() { return {gelu_case(), gelu_gradient_case(), gelu_with_gradient_case()}; }

namespace {

TEST(GeluOps, FastAgreesWithReference) {
  for (const OpCase& c : gelu_cases()) expect_fast_agrees(c);
}

TEST(GeluOps, GradientIsTheDerivative) { expect_gradient_is_the_derivative(gelu_case()); }

}  // namespace
}  // namespace phasor::test
