#include "tests/ops/op_case.h"

namespace phasor::test {

namespace {

constexpr std::int64_t kRows = 7, kClasses = 6;

// A row's sum of exponentials is off by its terms' roundings, and logits in [-1, 1] differ by at most 2.
constexpr double kSum = rounding(kClasses + kExpRoundings) + 2 * kRoundoff;
// Of softmax, at most 1, less one_hot.
constexpr double kGradient = 2 * (kSum + rounding(kExpRoundings + 5)) + rounding(2);

// Every third row is ignored, whatever its label.
struct Targets {
  Value logits, labels, weights;
};
Targets add_targets(OpCase& c) {
  Targets t;
  t.logits = c.add_reals({kRows, kClasses});
  t.labels = c.add_ids({kRows}, kClasses);
  for (std::size_t r = 0; r < kRows; r += 3) c.inputs.back().ids[r] = -100;
  t.weights = c.add_reals({kRows}, 0, 1);
  for (std::size_t r = 0; r < kRows; r += 3) c.inputs.back().reals[r] = 0;
  return t;
}

OpCase cross_entropy_case() {
  OpCase c;
  c.name = "cross_entropy";
  const auto [logits, labels, weights] = add_targets(c);
  // A row's loss is at most log(classes) + 2.
  const double loss_bound = kRows * (kSum + rounding(kRows + 4) * (std::log(double{kClasses}) + 2));
  c.add_output(c.builder().cross_entropy(logits, labels, weights), loss_bound);
  c.differentiable = {logits};
  c.gradient_bound = kGradient;
  return c;
}

OpCase cross_entropy_gradient_case() {
  OpCase c;
  c.name = "cross_entropy_gradient";
  const auto [logits, labels, weights] = add_targets(c);
  c.add_output(c.builder().cross_entropy_gradient(logits, labels, weights, c.add_reals({1})), kGradient);
  return c;
}

// Four rows of logits about two rows of two samples each. Every third label is ignored.
struct PackedTargets {
  explicit PackedTargets(OpCase& c) : logits(c.add_reals({4, kClasses})), labels(c.add_ids({4, 2}, kClasses / 2)) {
    for (std::size_t i = 0; i < 8; i += 3) c.inputs.back().ids[i] = -100;
    weights = c.add_reals({4, 2}, 0, 1);
    for (std::size_t i = 0; i < 8; i += 3) c.inputs.back().reals[i] = 0;
    segments = c.add_segments(2, kClasses);
  }
  Value logits, labels, weights, segments;
};

OpCase packed_cross_entropy_case() {
  OpCase c;
  c.name = "cross_entropy, packed";
  const PackedTargets t(c);
  c.add_output(c.builder().cross_entropy(t.logits, t.labels, t.weights, t.segments),
               8 * (kSum + rounding(8 + 4) * (std::log(double{kClasses}) + 2)));
  c.differentiable = {t.logits};
  c.gradient_bound = kGradient;
  return c;
}

OpCase packed_cross_entropy_gradient_case() {
  OpCase c;
  c.name = "cross_entropy_gradient, packed";
  const PackedTargets t(c);
  c.add_output(c.builder().cross_entropy_gradient(t.logits, t.labels, t.weights, c.add_reals({1}), t.segments),
               kGradient);
  return c;
}

}  // namespace

std::vector<OpCase> loss_cases() {
  return {cross_entropy_case(), cross_entropy_gradient_case(), packed_cross_entropy_case(),
          packed_cross_entropy_gradient_case()};
}

namespace {

TEST(LossOps, FastAgreesWithReference) {
  for (const OpCase& c : loss_cases()) expect_fast_agrees(c);
}

TEST(LossOps, GradientIsTheDerivative) {
  expect_gradient_is_the_derivative(cross_entropy_case());
  expect_gradient_is_the_derivative(packed_cross_entropy_case());
}

TEST(LossOps, IgnoredRowsGetNoGradient) {
  const OpCase c = cross_entropy_case();
  const std::vector<double> dlogits = autodiff_gradient(c, c.differentiable[0]);
  for (std::size_t r = 0; r < kRows; r += 3)
    for (std::size_t j = 0; j < kClasses; ++j) EXPECT_EQ(dlogits[r * kClasses + j], 0);
}

}  // namespace
}  // namespace phasor::test
