#include "tests/ops/op_case.h"

namespace phasor::test {

namespace {

// Nothing here rounds.
OpCase layout_case(const std::string& name, const Shape& shape, Value (*apply)(Builder, Value)) {
  OpCase c;
  c.name = name;
  const Value x = c.add_reals(shape);
  c.add_output(apply(c.builder(), x), 0);
  c.differentiable = {x};
  return c;
}

// To bf16 and back: half an ulp of numbers below 1.
OpCase convert_case() {
  OpCase c;
  c.name = "convert";
  const Value x = c.add_reals({4, 6});
  c.add_output(c.builder().convert(c.builder().convert(x, DType::bf16), DType::f32), 0x1p-9);
  c.differentiable = {x};
  return c;
}

OpCase places_case() {
  OpCase c;
  c.name = "places";
  c.add_output(c.builder().places(c.add_segments(3, 5), {3, 5}), 0);
  return c;
}

}  // namespace

std::vector<OpCase> layout_cases() {
  constexpr auto transpose = [](Builder b, Value x) { return b.transpose(x); };
  return {layout_case("transpose [4, 7]", {4, 7}, transpose), layout_case("transpose [2, 3, 5]", {2, 3, 5}, transpose),
          layout_case("reshape", {4, 6},
                      [](Builder b, Value x) {
                        return b.reshape(x, {2, 3, 4});
                      }),
          convert_case(), places_case()};
}

namespace {

TEST(LayoutOps, FastAgreesWithReference) {
  for (const OpCase& c : layout_cases()) expect_fast_agrees(c);
}

TEST(LayoutOps, GradientIsTheDerivative) {
  for (OpCase& c : layout_cases()) {
    c.gradient_bound = rounding(1);  // the complex step divides by h
    expect_gradient_is_the_derivative(c);
  }
}

}  // namespace
}  // namespace phasor::test
