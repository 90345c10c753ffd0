// A packed step is the step that it is unpacked: its samples, its loss, each sample's dropout. Sums are made in another
// order, and that is all.
#include <gtest/gtest.h>

#include "tests/support/reference_training.h"
#include "tests/support/training_run.h"

namespace phasor::test {
namespace {

using test::first_difference;
using test::run_training;
using test::RunOptions;
using test::RunResult;

// Samples of 2 to 13 tokens, of which up to four share a row. Rows come in micro-batches of two.
RunOptions options_of(bool packed) {
  RunOptions options;
  options.global_batch_size = 16;
  options.execution.accumulation = 8;
  options.shortest_sample = 2;
  options.samples_of_sequence = packed ? 4 : 1;
  options.model.dropout_prob = 0.25f;
  return options;
}

template <class A, class B>
double distance(const A& a, const B& b) {
  double largest = 0;
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(double{a[i]} - double{b[i]}));
  return largest;
}

// Some gradients are 0 but for rounding, as that of a bias of keys: what is small is so beside the others'.
double largest_of(const std::vector<std::vector<double>>& gradients) {
  double largest = 0;
  for (const auto& gradient : gradients) {
    for (const double value : gradient) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

TEST(Packing, InDoubleTheGradientsAreTheSame) {
  const ReferenceStep packed = reference_step(options_of(true)), unpacked = reference_step(options_of(false));
  EXPECT_LT(packed.rows, unpacked.rows);
  EXPECT_NEAR(packed.loss, unpacked.loss, 1e-12 * unpacked.loss);
  ASSERT_EQ(packed.names, unpacked.names);
  const double scale = largest_of(unpacked.gradients);
  for (std::size_t i = 0; i < unpacked.gradients.size(); ++i) {
    EXPECT_LE(distance(unpacked.gradients[i], packed.gradients[i]), 1e-12 * scale) << unpacked.names[i];
  }
}

// After one step Adam's first moment is the gradient, times 1 - beta1. Two computations in float32 differ by a small
// multiple of what either is off.
TEST(Packing, GradientsInFloat) {
  const ReferenceStep exact = reference_step(options_of(false));
  const auto moments_of = [](bool packed) {
    RunOptions options = options_of(packed);
    options.steps = 1;
    options.optimizer.beta1 = 0;
    RunResult result = run_training(options);
    std::vector<std::vector<float>> moments;
    for (std::size_t i = 1; i < result.state.size(); i += 3) moments.push_back(std::move(result.state[i]));
    return moments;
  };
  const auto packed = moments_of(true), unpacked = moments_of(false);
  ASSERT_EQ(unpacked.size(), exact.gradients.size());
  const double roundoff = std::numeric_limits<float>::epsilon() * largest_of(exact.gradients);
  for (std::size_t i = 0; i < unpacked.size(); ++i) {
    const double off = distance(exact.gradients[i], unpacked[i]);
    EXPECT_LE(distance(unpacked[i], packed[i]), 8 * (off + roundoff)) << exact.names[i];
    EXPECT_LE(off, 64 * roundoff) << exact.names[i];
  }
}

// Runs that differ in nothing but the order of their sums drift apart; a packed one does not do so faster.
TEST(Packing, LossesOfTwentySteps) {
  const auto losses_of = [](bool packed, int accumulation) {
    RunOptions options = options_of(packed);
    options.steps = 20;
    options.execution.accumulation = accumulation;
    return run_training(options).losses;
  };
  const std::vector<double> unpacked = losses_of(false, 8);
  double drift = 0;
  for (const int accumulation : {1, 2, 16}) {
    drift = std::max(drift, distance(unpacked, losses_of(false, accumulation)));
  }
  ASSERT_GT(drift, 0);
  EXPECT_LE(distance(unpacked, losses_of(true, 8)), 8 * drift);
  EXPECT_LE(8 * drift, 1e-3 * unpacked.front());
}

// The tokens of the rows that layers compute, micro-batch by micro-batch.
class TokensSeen : public CallObserver {
 public:
  void call(const CallPlace& place) override {
    watched_ =
        place.graph.kind == GraphKind::forward && place.phase.name == "forward layer" && place.phase.instance == 0;
  }
  void begin(const Graph&, std::span<const TensorView>) override {}
  void made(const Graph&, const Node& node, std::span<const TensorView> outputs) override {
    if (watched_ && node.op == Op::attention) tokens.push_back(outputs[0].spec.shape[1]);
  }

  std::vector<std::int64_t> tokens;

 private:
  bool watched_ = false;
};

// Micro-batches have 26 tokens, narrow ones 16.
TEST(Packing, ComputesNoMoreTokensThanAreThere) {
  RunOptions options = options_of(true);
  options.steps = 6;
  TokensSeen narrow, whole;
  options.observer = &narrow;
  const RunResult few = run_training(options);
  options.observer = &whole;
  options.narrow_rows = false;
  const RunResult all = run_training(options);
  EXPECT_EQ(narrow.tokens.size(), whole.tokens.size());
  EXPECT_GT(std::ranges::count(narrow.tokens, 16), 0);
  EXPECT_EQ(std::ranges::count(narrow.tokens, 16) + std::ranges::count(narrow.tokens, 26), std::ssize(narrow.tokens));
  EXPECT_EQ(std::ranges::count(whole.tokens, 26), std::ssize(whole.tokens));
  EXPECT_LE(distance(few.losses, all.losses), 1e-5);
  EXPECT_EQ(few.high_water_bytes, few.planned_peak_bytes);
  EXPECT_EQ(few.planned_peak_bytes, all.planned_peak_bytes);
}

TEST(Packing, RunsFewerMicroBatches) {
  RunOptions options = options_of(true);
  options.steps = 3;
  for (const int micro_batches : run_training(options).micro_batches) EXPECT_LE(micro_batches, 6);
}

class PackedEquals : public ::testing::TestWithParam<std::tuple<int, int, Precision, bool>> {};

// Phased is monolithic; and where sums are reproducible, the division into replicas and accumulation does not show.
TEST_P(PackedEquals, MonolithicToTheBit) {
  const auto [replicas, accumulation, precision, reproducible] = GetParam();
  RunOptions options = options_of(true);
  options.global_batch_size = 24;
  options.steps = 3;
  options.execution = {.replicas = replicas,
                       .accumulation = accumulation,
                       .rts_threshold = 100,
                       .reproducible = reproducible,
                       .precision = precision};
  options.optimizer.max_grad_norm = 0.5f;
  const RunResult phased = run_training(options);
  options.execution.mode = Mode::monolithic;
  EXPECT_EQ(first_difference(phased, run_training(options)), "");
  if (!reproducible) return;
  options.execution.accumulation = replicas * accumulation;
  options.execution.replicas = 1;
  EXPECT_EQ(first_difference(phased, run_training(options)), "");
}

std::string name_of(const ::testing::TestParamInfo<PackedEquals::ParamType>& test) {
  const auto& [replicas, accumulation, precision, reproducible] = test.param;
  return fmt::format("replicas_{}_accumulation_{}_{}{}", replicas, accumulation,
                     precision == Precision::bfloat16 ? "bfloat16" : "float32", reproducible ? "_reproducible" : "");
}

INSTANTIATE_TEST_SUITE_P(Divisions, PackedEquals,
                         ::testing::Combine(::testing::Values(1, 2, 3), ::testing::Values(1, 4),
                                            ::testing::Values(Precision::float32, Precision::bfloat16),
                                            ::testing::Bool()),
                         name_of);

}  // namespace
}  // namespace phasor::test
