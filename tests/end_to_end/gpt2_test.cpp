// A decoder whose head is its table of words: phased execution computes what monolithic execution computes, to the bit,
// in however many slices the table is.
#include <gtest/gtest.h>

#include "models/gpt2/stages.h"
#include "tests/support/drawn_text.h"
#include "tests/support/pairwise.h"
#include "tests/support/training_run.h"

namespace phasor::test::decoder {
namespace {

constexpr gpt2::Config kModel{.layers = 2,
                              .hidden_size = 24,
                              .heads = 3,
                              .intermediate_size = 40,
                              .sequence_length = 13,
                              .max_positions = 16,
                              .vocab_size = 1700};  // four blocks of the head's, the last not whole

RunOptions decoder_options(std::int64_t slices, std::int64_t samples_of_sequence) {
  RunOptions options;
  options.model.sequence_length = kModel.sequence_length;
  options.global_batch_size = 24;
  options.samples_of_sequence = samples_of_sequence;
  options.steps = 4;
  options.stages = [slices](layers::MicroBatch batch) { return gpt2::training_stages(kModel, batch, slices); };
  options.samples = [](int step) {
    return std::make_unique<DrawnText>(
        DrawnText::Sizes{
            .samples = 24, .vocabulary = kModel.vocab_size, .shortest = 3, .longest = kModel.sequence_length},
        step);
  };
  return options;
}

struct Sharding {
  const char* name;
  std::int64_t threshold;
};
constexpr Sharding kShardings[] = {{"all", 0}, {"some", 1000}, {"nothing", 1'000'000}};

// recompute, replicas, sharding, max_grad_norm, accumulation, precision, slices, samples of a sequence
using Case = std::tuple<Recompute, int, Sharding, float, int, Precision, int, int>;

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  const auto& [recompute, replicas, sharding, max_norm, accumulation, precision, slices, packed] = info.param;
  return fmt::format("recompute_{}_replicas_{}_shard_{}_clip_{}_accumulation_{}_{}_slices_{}_samples_{}",
                     recompute == Recompute::layer ? "layer" : "none", replicas, sharding.name,
                     max_norm > 0 ? "on" : "off", accumulation,
                     precision == Precision::bfloat16 ? "bfloat16" : "float32", slices, packed);
}

class DecoderPhasedEqualsMonolithic : public ::testing::TestWithParam<Case> {};

TEST_P(DecoderPhasedEqualsMonolithic, EveryWeightMomentAndLoss) {
  const auto& [recompute, replicas, sharding, max_norm, accumulation, precision, slices, packed] = GetParam();
  RunOptions options = decoder_options(slices, packed);
  options.execution = {.replicas = replicas,
                       .accumulation = accumulation,
                       .rts_threshold = sharding.threshold,
                       .recompute = recompute,
                       .precision = precision,
                       .update_slice = 960};
  options.optimizer.max_grad_norm = max_norm;
  const RunResult phased = run_training(options);
  RunOptions whole = decoder_options(1, packed);
  whole.execution = options.execution;
  whole.execution.mode = Mode::monolithic;
  whole.optimizer = options.optimizer;
  const RunResult monolithic = run_training(whole);
  EXPECT_EQ(first_difference(phased, monolithic), "");
  EXPECT_EQ(phased.names, monolithic.names);
  EXPECT_LT(phased.losses.back(), phased.losses.front());
  EXPECT_EQ(phased.high_water_bytes, phased.planned_peak_bytes);
  EXPECT_EQ(monolithic.high_water_bytes, monolithic.planned_peak_bytes);
}

INSTANTIATE_TEST_SUITE_P(Pairs, DecoderPhasedEqualsMonolithic,
                         ::testing::ValuesIn(pairwise<Recompute, int, Sharding, float, int, Precision, int, int>(
                             {Recompute::layer, Recompute::none}, {1, 2, 3},
                             {std::begin(kShardings), std::end(kShardings)}, {0.0f, 0.5f}, {1, 4},
                             {Precision::float32, Precision::bfloat16}, {1, 2, 4}, {1, 3})),
                         name_of_case);

// The device holds a slice of the table instead of all of it, and no logits in either case.
TEST(Decoder, SlicesTakeLessOfTheDevice) {
  const RunResult whole = run_training(decoder_options(1, 1)), sliced = run_training(decoder_options(4, 1));
  EXPECT_EQ(first_difference(whole, sliced), "");
  EXPECT_LT(sliced.planned_peak_bytes, whole.planned_peak_bytes);
}

TEST(Decoder, AnyDivisionGivesTheSameBits) {
  RunOptions options = decoder_options(2, 1);
  options.execution = {.accumulation = 6, .reproducible = true};
  const RunResult one = run_training(options);
  options.execution.replicas = 3;
  options.execution.accumulation = 2;
  EXPECT_EQ(first_difference(one, run_training(options)), "");
}

}  // namespace
}  // namespace phasor::test::decoder
