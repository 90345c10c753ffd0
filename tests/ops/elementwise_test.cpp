#include "tests/ops/op_case.h"

namespace phasor::test {

namespace {

OpCase add_case(const Shape& a, const Shape& b) {
  OpCase c;
  c.name = fmt::format("add {} and {}", to_string(a), to_string(b));
  const Value x = c.add_reals(a), y = c.add_reals(b);
  c.add_output(c.builder().add(x, y), 2 * rounding(1));
  c.differentiable = {x, y};
  // The gradient of b is a sum over the leading dimensions of a.
  const auto terms = static_cast<double>(a.elements()) / static_cast<double>(b.elements());
  c.gradient_bound = terms * rounding(terms);
  return c;
}

OpCase reduce_sum_case(const Shape& x, const Shape& sum) {
  OpCase c;
  c.name = fmt::format("reduce_sum {} to {}", to_string(x), to_string(sum));
  const auto terms = static_cast<double>(x.elements()) / static_cast<double>(sum.elements());
  c.add_output(c.builder().reduce_sum(c.add_reals(x), sum), terms * rounding(terms));
  return c;
}

}  // namespace

std::vector<OpCase> elementwise_cases() {
  return {add_case({5}, {5}),
          add_case({4, 7}, {4, 7}),
          add_case({4, 7}, {7}),
          add_case({2, 3, 5}, {5}),
          add_case({2, 3, 5}, {3, 5}),
          add_case({4, 1}, {1}),
          reduce_sum_case({40, 7}, {7}),
          reduce_sum_case({4, 3, 5}, {3, 5}),
          reduce_sum_case({6, 5}, {6, 5})};
}

namespace {

TEST(ElementwiseOps, FastAgreesWithReference) {
  for (const OpCase& c : elementwise_cases()) expect_fast_agrees(c);
}

TEST(ElementwiseOps, GradientIsTheDerivative) {
  for (const OpCase& c : elementwise_cases()) expect_gradient_is_the_derivative(c);
}

// x + x: both operands are one value, whose gradient has two parts.
TEST(ElementwiseOps, AValueAddedToItselfCountsTwice) {
  OpCase c;
  const Value x = c.add_reals({3, 4});
  c.add_output(c.builder().add(x, x), 2 * rounding(1));
  c.differentiable = {x};
  c.gradient_bound = 2 * rounding(2);
  expect_fast_agrees(c);
  expect_gradient_is_the_derivative(c);
}

}  // namespace
}  // namespace phasor::test
