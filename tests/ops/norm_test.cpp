#include <algorithm>

#include "tests/ops/op_case.h"
#include "tests/support/reference_executor.h"

namespace phasor::test {

namespace {

// Rows are not constant, so that rstd stays moderate; how large it gets is part of every bound.
OpCase layer_norm_case(const Shape& shape) {
  OpCase c;
  c.name = fmt::format("layer_norm {}", to_string(shape));
  const auto n = static_cast<double>(shape.columns()), rows = static_cast<double>(shape.rows());
  const Value x = c.add_reals(shape), gamma = c.add_reals({shape.columns()}), beta = c.add_reals({shape.columns()});
  const auto [y, mean, rstd] = c.builder().layer_norm(x, gamma, beta, {.eps = 1e-5f});
  c.graph.outputs = {rstd};
  const double highest = std::ranges::max(evaluate<double>(c.graph, c.inputs)[0].reals);
  c.graph.outputs.clear();

  // The mean is off by d, which the variance sees as d^2; x - mean is at most 2, and so is rstd relative to `highest`.
  const double d = rounding(n + 1);
  const double rstd_error = rounding(n + 8) + d * d * highest * highest;  // relative
  c.add_output(y, highest * (d + 2 * (rstd_error + rounding(4))) + rounding(1));
  c.add_output(mean, d);
  c.add_output(rstd, highest * rstd_error);
  c.differentiable = {x, gamma, beta};
  // |h| <= 2 rstd, |q| <= 1; dx has terms of up to rstd h^2, dgamma sums over the rows.
  const double h = 2 * highest;
  c.gradient_bound = std::max(highest * (2 + h * h) * rounding(2 * n + 20), rows * h * rounding(rows + n + 10));
  return c;
}

OpCase layer_norm_gradient_case(const Shape& shape) {
  OpCase c;
  c.name = fmt::format("layer_norm_gradient {}", to_string(shape));
  const auto n = static_cast<double>(shape.columns()), rows = static_cast<double>(shape.rows());
  const Value x = c.add_reals(shape), gamma = c.add_reals({shape.columns()});
  const Value mean = c.add_reals({shape.rows()}), rstd = c.add_reals({shape.rows()}, 0.5f, 2);
  const auto [dx, dgamma, dbeta] = c.builder().layer_norm_gradient(x, gamma, mean, rstd, c.add_reals(shape));
  const double h = 2 * 2;  // (x - mean) * rstd
  c.add_output(dx, 2 * (1 + 1 + h * h) * rounding(n + 10));
  c.add_output(dgamma, rows * h * rounding(rows + 3));
  c.add_output(dbeta, rows * rounding(rows));
  return c;
}

// As layer_norm_case, of a sum that is up to kLargest.
OpCase dropout_add_norm_case(const Shape& shape, bool packed = false) {
  constexpr float kProbability = 0.25f;
  constexpr double kLargest = 1 / (1 - kProbability) + 1;
  OpCase c;
  c.name = fmt::format("dropout_add_norm {}", to_string(shape));
  const auto n = static_cast<double>(shape.columns()), rows = static_cast<double>(shape.rows());
  const Value x = c.add_reals(shape), residual = c.add_reals(shape);
  const Value gamma = c.add_reals({shape.columns()}), beta = c.add_reals({shape.columns()});
  const Value position = c.add_position(), segments = packed ? c.add_segments(shape[0], shape[1]) : Value{};
  const auto [sum, y, mean, rstd] = c.builder().dropout_add_norm(
      x, residual, gamma, beta, position, {.probability = kProbability, .site = 3, .eps = 1e-5f}, segments);
  c.graph.outputs = {rstd};
  const double highest = std::ranges::max(evaluate<double>(c.graph, c.inputs)[0].reals);
  c.graph.outputs.clear();

  const double sum_error = kLargest * rounding(3);  // the scale, the product, the sum
  const double d = kLargest * rounding(n + 1) + sum_error;
  const double rstd_error = rounding(n + 8) + d * d * highest * highest + 2 * sum_error * highest;  // relative
  c.add_output(y, highest * (sum_error + d + 2 * kLargest * (rstd_error + rounding(4))) + rounding(1));
  c.add_output(sum, sum_error);
  c.add_output(mean, d);
  c.add_output(rstd, highest * rstd_error);
  c.differentiable = {x, residual, gamma, beta};
  const double h = 2 * kLargest * highest;
  c.gradient_bound =
      kLargest * std::max(highest * (2 + h * h) * rounding(2 * n + 25), rows * h * rounding(rows + n + 15));
  return c;
}

OpCase dropout_add_norm_gradient_case(const Shape& shape, bool packed = false) {
  constexpr float kProbability = 0.25f;
  OpCase c;
  c.name = fmt::format("dropout_add_norm_gradient {}", to_string(shape));
  const auto n = static_cast<double>(shape.columns()), rows = static_cast<double>(shape.rows());
  const Value sum = c.add_reals(shape), gamma = c.add_reals({shape.columns()});
  const Value mean = c.add_reals({shape.rows()}), rstd = c.add_reals({shape.rows()}, 0.5f, 2);
  const Value position = c.add_position(), dy = c.add_reals(shape);
  const Value segments = packed ? c.add_segments(shape[0], shape[1]) : Value{};
  const auto [dx, dresidual, dgamma, dbeta] =
      c.builder().dropout_add_norm_gradient({.sum = sum, .y = {}, .mean = mean, .rstd = rstd}, gamma, position, dy,
                                            {.probability = kProbability, .site = 3, .eps = 1e-5f}, segments);
  const double h = 2 * 2;  // (x - mean) * rstd
  c.add_output(dx, 2 / (1 - kProbability) * (1 + 1 + h * h) * rounding(n + 12));
  c.add_output(dresidual, 2 * (1 + 1 + h * h) * rounding(n + 10));
  c.add_output(dgamma, rows * h * rounding(rows + 3));
  c.add_output(dbeta, rows * rounding(rows));
  return c;
}

}  // namespace

std::vector<OpCase> norm_cases() {
  return {dropout_add_norm_case({5, 7}),
          dropout_add_norm_case({2, 3, 16}),
          dropout_add_norm_case({2, 3, 16}, true),
          dropout_add_norm_gradient_case({2, 40, 16}),
          dropout_add_norm_gradient_case({2, 40, 16}, true),
          layer_norm_case({5, 7}),
          layer_norm_case({2, 3, 16}),
          layer_norm_gradient_case({5, 7}),
          layer_norm_gradient_case({2, 40, 16})};
}

namespace {

TEST(NormOps, FastAgreesWithReference) {
  for (const OpCase& c : norm_cases()) expect_fast_agrees(c);
}

TEST(NormOps, GradientIsTheDerivative) {
  for (const OpCase& c : norm_cases()) expect_gradient_is_the_derivative(c);
}

// Nothing may depend on the mean: a gradient by way of it would be lost.
TEST(NormOps, MeanIsNotDifferentiable) {
  OpCase c = layer_norm_case({5, 7});
  c.graph.outputs = {c.graph.outputs[1]};
  EXPECT_THROW(autodiff_gradient(c, c.differentiable[0]), InternalError);
}

}  // namespace
}  // namespace phasor::test
