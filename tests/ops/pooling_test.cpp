#include "tests/ops/op_case.h"

namespace phasor::test {

namespace {

OpCase max_pool2d_case(const Shape& shape, PoolingAttributes attributes) {
  OpCase c;
  c.name = fmt::format("max_pool2d {}{}", to_string(shape), attributes.relu ? " relu" : "");
  const Value x = c.add_reals(shape, -2, 1);
  const auto pooled = c.builder().max_pool2d(x, attributes);
  c.add_output(pooled.y, 0);
  c.add_output(pooled.indices, 0);
  c.differentiable = {x};
  // Where windows overlap, at most all elements of a window meet; nothing else is rounded, but for the derivative's
  // step.
  const auto terms = static_cast<double>(attributes.window * attributes.window);
  c.gradient_bound = attributes.stride < attributes.window ? terms * rounding(terms) : rounding(1);
  return c;
}

OpCase max_pool2d_gradient_case(const Shape& shape, PoolingAttributes attributes) {
  OpCase c = max_pool2d_case(shape, attributes);
  c.name = "gradient of " + c.name;
  const Value x = c.graph.inputs[0], indices = c.graph.outputs[1];
  const Value dy = c.add_reals(c.graph.spec(indices).shape);
  c.add_output(c.builder().max_pool2d_gradient(indices, dy, c.graph.spec(x).shape, attributes), c.gradient_bound);
  c.differentiable.clear();
  return c;
}

constexpr PoolingAttributes kOverlapping{.window = 3, .stride = 2};

}  // namespace

std::vector<OpCase> pooling_cases() {
  return {max_pool2d_case({2, 3, 8, 6}, {}), max_pool2d_case({2, 3, 7, 5}, {.relu = true}),
          max_pool2d_case({2, 1, 9, 8}, kOverlapping), max_pool2d_gradient_case({2, 3, 8, 6}, {.relu = true}),
          max_pool2d_gradient_case({2, 1, 9, 8}, kOverlapping)};
}

namespace {

TEST(PoolingOps, FastAgreesWithReference) {
  for (const OpCase& c : pooling_cases()) expect_fast_agrees(c);
}

TEST(PoolingOps, GradientIsTheDerivative) {
  for (const OpCase& c : pooling_cases()) expect_gradient_is_the_derivative(c);
}

TEST(PoolingOps, WindowsThatDoNotFitAreRefused) {
  EXPECT_THROW(max_pool2d_case({2, 3, 1, 6}, {}), InternalError);
  EXPECT_THROW(max_pool2d_case({2, 3, 8, 6}, {.window = 2, .stride = 0}), InternalError);
  EXPECT_THROW(max_pool2d_case({1, 1, 16, 16}, {.window = 16}), InternalError);
}

}  // namespace
}  // namespace phasor::test
