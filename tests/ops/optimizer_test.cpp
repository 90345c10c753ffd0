#include "engine/kernels/lamb.h"
#include "tests/ops/op_case.h"

namespace phasor::test {

namespace {

constexpr double kLearningRate = 0.01, kGradientScale = 0.5, kCorrection1 = 3.7, kCorrection2 = 333;

Value add_step(OpCase& c) {
  return c.add_given({4}, std::vector{kLearningRate, kGradientScale, kCorrection1, kCorrection2});
}

std::vector<std::int64_t> sum_of(float x) {
  std::vector<std::int64_t> sum(kernels::kSquareSumNumbers);
  kernels::square_sum(std::span(&x, 1), sum);
  return sum;
}

OpCase adam_case(bool decoupled, bool clips, bool rounds = false) {
  OpCase c;
  c.name = fmt::format("adam, {}, {}", decoupled ? "decoupled" : "L2", clips ? "clipped" : "not clipped");
  const Shape shape{101};
  const Value w = c.add_reals(shape), m = c.add_reals(shape), v = c.add_reals(shape, 0.25f, 1), g = c.add_reals(shape);
  const Value step = add_step(c), clip = clips ? c.add_reals({1}, 0.5f, 1) : Value{};
  const auto updated = c.builder().adam(
      w, m, v, g, step, clip,
      {.beta1 = 0.9, .beta2 = 0.99, .eps = 1e-6f, .weight_decay = 0.1f, .decoupled = decoupled, .rounds = rounds});
  // |m correction1| < 4 is divided by sqrt(v correction2) > 9: a step, of chains of a few roundings, is below the rate.
  c.add_output(updated.w, rounding(2) * (1 + kLearningRate) + kLearningRate * rounding(30));
  c.add_output(updated.m, 2 * rounding(7));
  c.add_output(updated.v, 2 * rounding(11));
  if (rounds) c.add_output(updated.rounded, c.bounds[0] + 0x1p-8);  // half an ulp of bfloat16 below 2
  return c;
}

constexpr AdamAttributes kLamb{.beta1 = 0.9, .beta2 = 0.99, .eps = 1e-6f, .weight_decay = 0.1f};

// The sums are exact of what is summed: of the direction in float, whose bits a double does not have. So they are seen
// through their ratio.
OpCase lamb_case(bool clips) {
  OpCase c;
  c.name = fmt::format("lamb, {}", clips ? "clipped" : "not clipped");
  const Shape shape{101};
  const Value w = c.add_reals(shape), m = c.add_reals(shape), v = c.add_reals(shape, 0.25f, 1), g = c.add_reals(shape);
  const Value step = add_step(c), clip = clips ? c.add_reals({1}, 0.5f, 1) : Value{};
  const Value sums = c.add_longs(std::vector<std::int64_t>(kernels::kLambNumbers));
  Builder b = c.builder();
  const auto moments = b.lamb_moments(m, v, sums, w, g, step, clip, kLamb);
  c.add_output(moments.m, 2 * rounding(7));
  c.add_output(moments.v, 2 * rounding(11));
  c.add_output(b.lamb_ratio(moments.sums), 32 * rounding(40));
  return c;
}

OpCase lamb_weights_case(bool rounds) {
  OpCase c;
  c.name = fmt::format("lamb_weights{}", rounds ? ", rounding" : "");
  const Shape shape{101};
  const Value w = c.add_reals(shape), m = c.add_reals(shape), v = c.add_reals(shape, 0.25f, 1);
  AdamAttributes attributes = kLamb;
  attributes.rounds = rounds;
  const auto updated = c.builder().lamb_weights(w, m, v, add_step(c), c.add_reals({1}, 0.5f, 1), attributes);
  c.add_output(updated.w, rounding(2) * (1 + kLearningRate) + kLearningRate * rounding(30));
  if (rounds) c.add_output(updated.rounded, c.bounds[0] + 0x1p-8);
  return c;
}

OpCase descent_case(bool moves, bool nesterov, bool clips, bool rounds = false) {
  OpCase c;
  c.name = fmt::format("descent{}{}{}", moves ? ", momentum" : "", nesterov ? ", nesterov" : "", clips ? ", clip" : "");
  const Shape shape{101};
  const Value w = c.add_reals(shape), m = moves ? c.add_reals(shape) : Value{}, g = c.add_reals(shape);
  const Value step = add_step(c), clip = clips ? c.add_reals({1}, 0.5f, 1) : Value{};
  const auto updated = c.builder().descent(
      w, m, g, step, clip, {.momentum = 0.75f, .weight_decay = 0.1f, .nesterov = nesterov, .rounds = rounds});
  c.add_output(updated.w, rounding(2) * (1 + kLearningRate) + kLearningRate * rounding(30));
  if (moves) c.add_output(updated.m, 4 * rounding(7));
  if (rounds) c.add_output(updated.rounded, c.bounds[0] + 0x1p-8);
  return c;
}

// To one of two neighbours: an ulp of bfloat16 below 1.
OpCase stochastic_round_case() {
  OpCase c;
  c.name = "stochastic_round";
  const Value x = c.add_reals({101});
  c.add_output(
      c.builder().stochastic_round(x, c.add_position(), {.number = 3, .shard_elements = 101, .slice_elements = 202}),
      0x1p-8);
  return c;
}

OpCase square_sum_case() {
  OpCase c;
  c.name = "square_sum";
  const Value before = c.add_longs(sum_of(3));
  c.add_output(c.builder().square_sum(before, c.add_reals({1237})), 0);
  return c;
}

OpCase clip_factor_case(float max_norm) {
  OpCase c;
  c.name = fmt::format("clip_factor, max_norm {}", max_norm);
  std::vector<std::int64_t> sums = sum_of(1);
  const std::vector<std::int64_t> second = sum_of(2);
  sums.insert(sums.end(), second.begin(), second.end());
  const Value sharded = c.add_longs(sums), whole = c.add_longs(sum_of(2));  // a norm of 3
  const auto [clip, norm] = c.builder().clip_factor(sharded, whole, add_step(c), {.max_norm = max_norm});
  c.add_output(clip, rounding(3));
  c.add_output(norm, 3 * rounding(3));
  return c;
}

}  // namespace

std::vector<OpCase> optimizer_cases() {
  return {lamb_case(true),
          lamb_case(false),
          lamb_weights_case(true),
          lamb_weights_case(false),
          descent_case(true, false, true),
          descent_case(true, true, false, true),
          descent_case(false, false, true, true),
          descent_case(false, false, false),
          adam_case(true, true),
          adam_case(true, false),
          adam_case(false, true),
          adam_case(false, false),
          adam_case(true, true, true),
          stochastic_round_case(),
          square_sum_case(),
          clip_factor_case(0.7f),
          clip_factor_case(10)};
}

namespace {

TEST(OptimizerOps, FastAgreesWithReference) {
  for (const OpCase& c : optimizer_cases()) expect_fast_agrees(c);
}

}  // namespace
}  // namespace phasor::test
