// Law 7: a model over several devices computes what it computes on one, to the bit.
#include <gtest/gtest.h>

#include "engine/train/freeze.h"
#include "models/gpt2/stages.h"
#include "tests/support/drawn_text.h"
#include "tests/support/pairwise.h"
#include "tests/support/training_run.h"

namespace phasor::test::devices {
namespace {

constexpr PipelineSchedule kSchedules[] = {PipelineSchedule::sequential, PipelineSchedule::gpipe,
                                           PipelineSchedule::one_f_one_b, PipelineSchedule::interleaved};
constexpr const char* kScheduleNames[] = {"sequential", "gpipe", "one_f_one_b", "interleaved"};

RunOptions small_bert() {
  RunOptions options;
  options.model.layers = 6;
  options.steps = 3;
  return options;
}

// devices, schedule, mode, recompute, kept stages, replicas, elements from which variables are sharded, max_grad_norm,
// accumulation, precision, depth of overlap, group, last step shorter, steps without the host in between
using Case = std::tuple<int, PipelineSchedule, Mode, Recompute, int, int, std::int64_t, float, int, Precision, int, int,
                        bool, int>;

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  const auto& [devices, schedule, mode, recompute, kept, replicas, threshold, max_norm, accumulation, precision, depth,
               group, is_short, iterations] = info.param;
  return fmt::format(
      "devices_{}_{}_{}_recompute_{}_kept_{}_replicas_{}_shard_{}_clip_{}_accumulation_{}_{}_overlap_{}_"
      "group_{}{}_iterations_{}",
      devices, kScheduleNames[static_cast<int>(schedule)], mode == Mode::phased ? "phased" : "monolithic",
      recompute == Recompute::layer ? "layer" : "none", kept, replicas, threshold, max_norm > 0 ? "on" : "off",
      accumulation, precision == Precision::bfloat16 ? "bfloat16" : "float32", depth, group, is_short ? "_short" : "",
      iterations);
}

class Devices : public ::testing::TestWithParam<Case> {};

void expect_equal_to_one_device(RunOptions options, Mode mode, const PipelineOptions& pipeline, int iterations = 1) {
  const RunResult alone = run_training(options);
  options.execution.device_iterations = iterations;
  options.execution.mode = mode;
  options.execution.pipeline = pipeline;
  const RunResult shared = run_training(options);
  EXPECT_EQ(first_difference(shared, alone), "");
  EXPECT_EQ(shared.high_water_bytes_of_devices, shared.planned_bytes_of_devices);
  EXPECT_EQ(static_cast<int>(shared.planned_bytes_of_devices.size()), pipeline.devices);
}

TEST_P(Devices, ComputeWhatOneDoes) {
  const auto& [devices, schedule, mode, recompute, kept, replicas, threshold, max_norm, accumulation, precision, depth,
               group, is_short, iterations] = GetParam();
  RunOptions options = small_bert();
  options.execution = {.replicas = replicas,
                       .accumulation = accumulation,
                       .rts_threshold = threshold,
                       .recompute = recompute,
                       .kept_stages = recompute == Recompute::layer ? kept : 0,
                       .precision = precision,
                       .update_slice = 96,
                       .prefetch_depth = depth,
                       .loop_overlap = depth};
  options.optimizer.max_grad_norm = max_norm;
  if (is_short) options.samples_of_steps = {48, 20, 48};
  expect_equal_to_one_device(options, mode, {.devices = devices, .schedule = schedule, .group = group}, iterations);
}

INSTANTIATE_TEST_SUITE_P(Pairs, Devices,
                         ::testing::ValuesIn(pairwise<int, PipelineSchedule, Mode, Recompute, int, int, std::int64_t,
                                                      float, int, Precision, int, int, bool, int>(
                             {2, 3, 4}, {std::begin(kSchedules), std::end(kSchedules)},
                             {Mode::phased, Mode::monolithic}, {Recompute::layer, Recompute::none}, {0, 2}, {1, 2},
                             {0, 100}, {0.0f, 0.5f}, {2, 4, 6}, {Precision::float32, Precision::bfloat16}, {0, 1},
                             {0, 1, 2}, {false, true}, {1, 2, 3})),
                         name_of_case);

// A decoder, whose head reads the table of words from another device and sends its gradient there.
constexpr gpt2::Config kDecoder{.layers = 4,
                                .hidden_size = 24,
                                .heads = 3,
                                .intermediate_size = 40,
                                .sequence_length = 13,
                                .max_positions = 16,
                                .vocab_size = 1700};

// devices, schedule, mode, slices of the table, replicas, elements from which variables are sharded, max_grad_norm,
// accumulation, precision, depth of overlap, group, steps without the host in between
using DecoderCase =
    std::tuple<int, PipelineSchedule, Mode, int, int, std::int64_t, float, int, Precision, int, int, int>;

std::string name_of_decoder_case(const ::testing::TestParamInfo<DecoderCase>& info) {
  const auto& [devices, schedule, mode, slices, replicas, threshold, max_norm, accumulation, precision, depth, group,
               iterations] = info.param;
  return fmt::format(
      "devices_{}_{}_{}_slices_{}_replicas_{}_shard_{}_clip_{}_accumulation_{}_{}_overlap_{}_group_{}_"
      "iterations_{}",
      devices, kScheduleNames[static_cast<int>(schedule)], mode == Mode::phased ? "phased" : "monolithic", slices,
      replicas, threshold, max_norm > 0 ? "on" : "off", accumulation,
      precision == Precision::bfloat16 ? "bfloat16" : "float32", depth, group, iterations);
}

class DevicesOfADecoder : public ::testing::TestWithParam<DecoderCase> {};

TEST_P(DevicesOfADecoder, ComputeWhatOneDoes) {
  const auto& [devices, schedule, mode, slices, replicas, threshold, max_norm, accumulation, precision, depth, group,
               iterations] = GetParam();
  RunOptions options;
  options.model.sequence_length = kDecoder.sequence_length;
  options.global_batch_size = 24;
  options.steps = 2;
  const std::int64_t table_slices = mode == Mode::monolithic ? 1 : slices;
  options.stages = [=](layers::MicroBatch batch) { return gpt2::training_stages(kDecoder, batch, table_slices); };
  options.samples = [](int step) {
    return std::make_unique<DrawnText>(
        DrawnText::Sizes{.samples = 24, .vocabulary = 1700, .shortest = 3, .longest = 13}, step);
  };
  options.execution = {.replicas = replicas,
                       .accumulation = accumulation,
                       .rts_threshold = threshold,
                       .precision = precision,
                       .update_slice = 4096,
                       .prefetch_depth = depth,
                       .loop_overlap = depth};
  options.optimizer.max_grad_norm = max_norm;
  expect_equal_to_one_device(options, mode, {.devices = devices, .schedule = schedule, .group = group}, iterations);
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, DevicesOfADecoder,
    ::testing::ValuesIn(
        pairwise<int, PipelineSchedule, Mode, int, int, std::int64_t, float, int, Precision, int, int, int>(
            {2, 3}, {std::begin(kSchedules), std::end(kSchedules)}, {Mode::phased, Mode::monolithic}, {1, 3}, {1, 2},
            {0, 100'000}, {0.0f, 0.5f}, {2, 4}, {Precision::float32, Precision::bfloat16}, {0, 1}, {0, 1}, {1, 2})),
    name_of_decoder_case);

// In parts that are given, of which one has all slices of a table.
TEST(DevicesByHand, ComputeWhatOneDoes) {
  RunOptions options = small_bert();
  options.embedding_slices = 3;
  options.execution.accumulation = 4;
  expect_equal_to_one_device(options, Mode::phased, {.devices = 3, .first_instances = {0, 1, 8}, .instances = 9});
}

TEST(DevicesByHand, OthersThanTheModelHasAreRefused) {
  RunOptions options = small_bert();
  options.execution.pipeline = {.devices = 3, .first_instances = {0, 1, 8}, .instances = 10};
  EXPECT_THROW(run_training(options), UserError);
  options.execution.pipeline = {.devices = 10};
  EXPECT_THROW(run_training(options), UserError);
}

// Where all groups go forward first, however many there are, gradients have room to wait.
TEST(DevicesOfManyGroups, ComputeWhatOneDoes) {
  for (const PipelineSchedule schedule : kSchedules)
    for (const Mode mode : {Mode::phased, Mode::monolithic}) {
      RunOptions options = small_bert();
      options.steps = 1;
      options.execution.accumulation = 12;
      expect_equal_to_one_device(options, mode, {.devices = 2, .schedule = schedule, .group = 1});
    }
}

// Sums along one tree over all micro-batches.
TEST(DevicesReproducibly, ComputeWhatOneDoes) {
  for (const Mode mode : {Mode::phased, Mode::monolithic}) {
    RunOptions options = small_bert();
    options.execution = {.replicas = 2, .accumulation = 3, .rts_threshold = 100, .reproducible = true};
    options.steps = 2;
    expect_equal_to_one_device(options, mode, {.devices = 2});
  }
}

// LAMB's ratios of what each device has; no gradient goes back to devices on which nothing learns.
TEST(DevicesOfOtherOptimizers, ComputeWhatOneDoes) {
  for (const Mode mode : {Mode::phased, Mode::monolithic})
    for (const bool freezes : {false, true}) {
      RunOptions options = small_bert();
      options.optimizer = {.kind = OptimizerKind::lamb, .max_grad_norm = 0.5f};
      options.optimizer.layer_decay = 0.8f;
      options.execution = {.replicas = 2, .accumulation = 4, .rts_threshold = 100, .update_slice = 96};
      options.stages = [freezes, model = options.model](layers::MicroBatch batch) {
        const Stages stages = bert::training_stages(model, batch, 1);
        return freezes ? freeze(stages, {"bert.embeddings.*", "bert.encoder.layer.0.*", "bert.encoder.layer.1.*",
                                         "bert.encoder.layer.2.*"})
                       : stages;
      };
      expect_equal_to_one_device(options, mode, {.devices = 3, .schedule = PipelineSchedule::one_f_one_b});
    }
}

}  // namespace
}  // namespace phasor::test::devices
