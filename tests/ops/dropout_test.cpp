#include "engine/kernels/dropout.h"

#include "tests/ops/op_case.h"
#include "tests/support/reference_executor.h"

namespace phasor::test {

namespace {

OpCase dropout_case(const Shape& shape, float probability, bool packed = false) {
  OpCase c;
  c.name = fmt::format("dropout {} of {}{}", probability, to_string(shape), packed ? ", packed" : "");
  const double bound = rounding(1) * kernels::DropoutRate(probability).scale;
  const Value x = c.add_reals(shape), position = c.add_position();
  const Value segments = packed ? c.add_segments(shape[0], shape[1]) : Value{};
  c.add_output(c.builder().dropout(x, position, {.probability = probability, .site = 3}, segments), bound);
  c.differentiable = {x};
  c.gradient_bound = bound;
  return c;
}

}  // namespace

std::vector<OpCase> dropout_cases() {
  return {dropout_case({3, 5, 7}, 0.4f), dropout_case({6, 11}, 0.1f), dropout_case({6, 11}, 0),
          dropout_case({3, 5, 7}, 0.4f, true)};
}

namespace {

TEST(DropoutOp, FastAgreesWithReference) {
  for (const OpCase& c : dropout_cases()) expect_fast_agrees(c);
}

TEST(DropoutOp, GradientIsTheDerivative) {
  for (const OpCase& c : dropout_cases()) expect_gradient_is_the_derivative(c);
}

// The position reaches the kernel with all of its four numbers.
TEST(DropoutOp, EveryNumberOfThePositionMatters) {
  OpCase c = dropout_case({2, 500}, 0.5f);
  const auto at_position = evaluate<double>(c.graph, c.inputs);
  for (std::size_t i = 0; i < 4; ++i) {
    OpCase elsewhere = c;
    elsewhere.inputs[1].longs[i] += 1;
    EXPECT_FALSE(evaluate<double>(elsewhere.graph, elsewhere.inputs) == at_position) << i;
    expect_fast_agrees(elsewhere);
  }
}

}  // namespace
}  // namespace phasor::test
