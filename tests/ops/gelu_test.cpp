#include "tests/ops/op_case.h"

namespace phasor::test {

namespace {

constexpr float kRange = 4;
// P is at most 1 and |x| p(x) at most 1/4.
constexpr double kSlope = 1.25;

std::string name_of(const char* op, GeluKind kind) {
  return fmt::format("{}{}", op, kind == GeluKind::tanh ? " tanh" : "");
}
// Of P, and for the tanh form twice as many of p.
double value_roundings(GeluKind kind) {
  return kind == GeluKind::tanh ? tanh_normal_roundings(kRange) : kNormalRoundings;
}
double slope_roundings(GeluKind kind) {
  return kind == GeluKind::tanh ? 2 * tanh_normal_roundings(kRange) : kNormalRoundings;
}

OpCase gelu_case(GeluKind kind) {
  OpCase c;
  c.name = name_of("gelu", kind);
  const Value x = c.add_reals({3, 7, 5}, -kRange, kRange);
  c.add_output(c.builder().gelu(x, {kind}), rounding(value_roundings(kind) + 2) * kRange);
  c.differentiable = {x};
  c.gradient_bound = rounding(slope_roundings(kind) + 3) * kSlope;
  return c;
}

OpCase gelu_gradient_case(GeluKind kind) {
  OpCase c;
  c.name = name_of("gelu_gradient", kind);
  const Value x = c.add_reals({3, 7, 5}, -kRange, kRange), dy = c.add_reals({3, 7, 5});
  c.add_output(c.builder().gelu_gradient(x, dy, {kind}), rounding(slope_roundings(kind) + 3) * kSlope);
  return c;
}

OpCase gelu_with_gradient_case(GeluKind kind) {
  OpCase c;
  c.name = name_of("gelu_with_gradient", kind);
  const Value x = c.add_reals({3, 7, 5}, -kRange, kRange), dy = c.add_reals({3, 7, 5});
  const auto outputs = c.builder().append(Op::gelu_with_gradient, {x, dy}, GeluAttributes{kind});
  c.add_output(outputs[0], rounding(slope_roundings(kind) + 3) * kSlope);
  c.add_output(outputs[1], rounding(value_roundings(kind) + 2) * kRange);
  return c;
}

}  // namespace

std::vector<OpCase> gelu_cases() {
  std::vector<OpCase> cases;
  for (GeluKind kind : {GeluKind::erf, GeluKind::tanh})
    for (const auto& make : {gelu_case, gelu_gradient_case, gelu_with_gradient_case}) cases.push_back(make(kind));
  return cases;
}

namespace {

TEST(GeluOps, FastAgreesWithReference) {
  for (const OpCase& c : gelu_cases()) expect_fast_agrees(c);
}

TEST(GeluOps, GradientIsTheDerivative) {
  for (GeluKind kind : {GeluKind::erf, GeluKind::tanh}) expect_gradient_is_the_derivative(gelu_case(kind));
}

}  // namespace
}  // namespace phasor::test
