#include <bit>

#include "engine/kernels/optimizers/lamb.h"
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

// Three rows of a matrix of nine, with five columns. Sums are of numbers whose squares are exact.
constexpr AdafactorAttributes kMatrix{.matrices = 1, .rows = 9, .columns = 5, .weight_decay = 0.1f};
constexpr std::int64_t kPartRows = 3, kPartColumns = 5;

Value add_exact(OpCase& c, std::int64_t count) {
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<double>(i % 7 - 3) / 4);
  return c.add_given({count}, numbers);
}
Value add_sums(OpCase& c, std::int64_t count, double first) {
  std::vector<std::int64_t> bits;
  for (std::int64_t i = 0; i < count; ++i) bits.push_back(std::bit_cast<std::int64_t>(first + static_cast<double>(i)));
  return c.add_longs(bits);
}
Value add_beta(OpCase& c) { return c.add_given({4}, std::vector{kLearningRate, kGradientScale, 1.0, 0.75}); }
Value add_exact_clip(OpCase& c, bool clips) { return clips ? c.add_given({1}, std::vector{0.5}) : Value{}; }

OpCase adafactor_sums_case(bool clips) {
  OpCase c;
  c.name = fmt::format("adafactor_sums, {}", clips ? "clipped" : "not clipped");
  const Builder::FactorSums before{add_sums(c, kPartRows, 0), add_sums(c, kPartColumns, 3)};
  const Value g = add_exact(c, kPartRows * kPartColumns), step = add_beta(c);
  const auto sums = c.builder().adafactor_sums(before, g, step, add_exact_clip(c, clips), kMatrix);
  c.add_output(sums.rows, 0);
  c.add_output(sums.columns, 0);
  return c;
}

OpCase adafactor_factors_case() {
  OpCase c;
  c.name = "adafactor_factors, of two matrices";
  AdafactorAttributes attributes = kMatrix;
  attributes.matrices = 2;
  const std::int64_t numbers = 2 * (kMatrix.rows + kMatrix.columns);
  const Value moments = c.add_reals({numbers}, 0.25f, 1), sums = add_sums(c, numbers, 0.5);
  const auto made = c.builder().adafactor_factors(moments, sums, add_beta(c), attributes);
  c.add_output(made.moments, 2 * rounding(4));
  c.add_output(made.factors, 4 * rounding(8));
  return c;
}

OpCase adafactor_squares_case(bool clips) {
  OpCase c;
  c.name = fmt::format("adafactor_squares, {}", clips ? "clipped" : "not clipped");
  const Value squares = c.add_longs(sum_of(3)), g = add_exact(c, kPartRows * kPartColumns);
  const Builder::FactorSums factors{add_exact(c, kPartRows), add_exact(c, kPartColumns)};
  const Value step = add_beta(c);
  c.add_output(c.builder().adafactor_squares(squares, g, factors, step, add_exact_clip(c, clips), kMatrix), 0);
  return c;
}

// `norm`: of the update of the whole matrix.
OpCase adafactor_weights_case(float norm, bool clips, bool rounds) {
  OpCase c;
  c.name = fmt::format("adafactor_weights, norm {}{}", norm, clips ? ", clipped" : "");
  AdafactorAttributes attributes = kMatrix;
  attributes.rounds = rounds;
  const Shape part{kPartRows * kPartColumns};
  const Value w = c.add_reals(part), g = c.add_reals(part);
  const Builder::FactorSums factors{c.add_reals({kPartRows}, 0.5f, 2), c.add_reals({kPartColumns}, 0.5f, 2)};
  const Value squares = c.add_longs(sum_of(norm)), step = add_beta(c);
  const auto updated =
      c.builder().adafactor_weights(w, g, factors, squares, step, add_exact_clip(c, clips), attributes);
  c.add_output(updated.w, rounding(2) * (1 + kLearningRate) + kLearningRate * 4 * rounding(10));
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
          adafactor_sums_case(true),
          adafactor_sums_case(false),
          adafactor_factors_case(),
          adafactor_squares_case(true),
          adafactor_squares_case(false),
          adafactor_weights_case(30, true, false),
          adafactor_weights_case(1, false, true),
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
