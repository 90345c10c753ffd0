#include "tests/ops/op_case.h"

namespace phasor::test {

namespace {

// Every product is below 1: a sum of n of them is off by n rounding(n).
double sum_bound(std::int64_t terms) { return static_cast<double>(terms) * rounding(static_cast<double>(terms)); }

std::int64_t taps(const Shape& weight) { return weight[1] * weight[2] * weight[3]; }
// Products that make an element of dx, and one of dweight or dbias.
std::int64_t terms_of_x(const Shape& weight) { return weight[0] * weight[2] * weight[3]; }
std::int64_t terms_of_weight(const Shape& y) { return y[0] * y[2] * y[3]; }

OpCase conv2d_case(const Shape& x_shape, const Shape& weight_shape, ConvolutionAttributes attributes) {
  OpCase c;
  c.name = fmt::format("conv2d {}", to_string(x_shape));
  const Value x = c.add_reals(x_shape), weight = c.add_reals(weight_shape), bias = c.add_reals({weight_shape[0]});
  const Value y = c.builder().conv2d(x, weight, bias, attributes);
  c.add_output(y, sum_bound(taps(weight_shape) + 1));
  c.differentiable = {x, weight, bias};
  c.gradient_bound = sum_bound(std::max(terms_of_x(weight_shape), terms_of_weight(c.graph.spec(y).shape)));
  return c;
}

OpCase input_gradient_case(const Shape& x, const Shape& weight_shape, const Shape& y,
                           ConvolutionAttributes attributes) {
  OpCase c;
  c.name = fmt::format("conv2d_input_gradient {}", to_string(x));
  const Value weight = c.add_reals(weight_shape), dy = c.add_reals(y);
  c.add_output(c.builder().conv2d_input_gradient(weight, dy, x, attributes), sum_bound(terms_of_x(weight_shape)));
  return c;
}

OpCase weight_gradient_case(const Shape& x_shape, const Shape& weight, const Shape& y,
                            ConvolutionAttributes attributes) {
  OpCase c;
  c.name = fmt::format("conv2d_weight_gradient {}", to_string(x_shape));
  const Value x = c.add_reals(x_shape), dy = c.add_reals(y);
  const auto [dweight, dbias] = c.builder().conv2d_weight_gradient(x, dy, weight, attributes);
  c.add_output(dweight, sum_bound(terms_of_weight(y)));
  c.add_output(dbias, sum_bound(terms_of_weight(y)));
  return c;
}

const Shape kX{3, 2, 8, 7}, kWeight{5, 2, 3, 2}, kY{3, 5, 4, 4};
constexpr ConvolutionAttributes kStrided{.stride = 2, .padding = 1, .gradient_of = {}};

}  // namespace

std::vector<OpCase> convolution_cases() {
  return {conv2d_case({2, 1, 6, 6}, {4, 1, 3, 3}, {}), conv2d_case(kX, kWeight, kStrided),
          input_gradient_case(kX, kWeight, kY, kStrided), weight_gradient_case(kX, kWeight, kY, kStrided)};
}

namespace {

TEST(ConvolutionOps, FastAgreesWithReference) {
  for (const OpCase& c : convolution_cases()) expect_fast_agrees(c);
}

TEST(ConvolutionOps, GradientIsTheDerivative) {
  for (const OpCase& c : convolution_cases()) expect_gradient_is_the_derivative(c);
}

TEST(ConvolutionOps, WhatDoesNotFitIsRefused) {
  EXPECT_THROW(conv2d_case({2, 1, 6, 6}, {4, 2, 3, 3}, {}), InternalError);
  EXPECT_THROW(conv2d_case({2, 1, 6, 6}, {4, 1, 7, 3}, {}), InternalError);
  EXPECT_THROW(conv2d_case({2, 1, 6, 6}, {4, 1, 3, 3}, {.stride = 0, .padding = 0, .gradient_of = {}}), InternalError);
  EXPECT_THROW(input_gradient_case(kX, kWeight, {3, 5, 4, 3}, kStrided), InternalError);
  EXPECT_THROW(weight_gradient_case(kX, kWeight, {3, 5, 3, 4}, kStrided), InternalError);
}

}  // namespace
}  // namespace phasor::test
