// A model that only goes forward gives over several devices what it gives on one, to the bit.
#include <gtest/gtest.h>

#include "engine/train/predictor.h"
#include "models/batches/batch_tensors.h"
#include "models/bert/stages.h"
#include "models/gpt2/stages.h"
#include "tests/support/pairwise.h"
#include "tests/support/whole_rows.h"

namespace phasor::test::inference_over_devices {
namespace {

constexpr std::int64_t kRows = 3, kTokens = 13;
constexpr PipelineSchedule kAllSchedules[] = {PipelineSchedule::sequential, PipelineSchedule::gpipe,
                                              PipelineSchedule::one_f_one_b, PipelineSchedule::interleaved};
constexpr const char* kNamesOfSchedules[] = {"sequential", "gpipe", "one_f_one_b", "interleaved"};

Stages bert_stages(std::int64_t slices) {
  const bert::Config model{.layers = 4,
                           .hidden_size = 24,
                           .heads = 3,
                           .intermediate_size = 40,
                           .sequence_length = kTokens,
                           .max_positions = 16,
                           .vocab_size = 37};
  return bert::inference_stages(model, {kRows, 1}, slices);
}

// Its head reads the table of words, which is on another device.
Stages decoder_stages(std::int64_t slices) {
  const gpt2::Config model{.layers = 4,
                           .hidden_size = 24,
                           .heads = 3,
                           .intermediate_size = 40,
                           .sequence_length = kTokens,
                           .max_positions = 16,
                           .vocab_size = 1700};
  return gpt2::inference_stages(model, {kRows, 1}, slices);
}

// A micro-batch of rows of all lengths.
void fill(run::BatchTensors& tensors, int number) {
  tensors.clear();
  const std::int64_t lengths[kRows] = {kTokens, 1 + number % kTokens, kTokens - 2};
  std::ranges::copy(test::whole_rows(lengths), tensors.of<std::int32_t>("segments").begin());
  if (tensors.has("label_weights")) std::ranges::fill(tensors.of<float>("label_weights"), 1.0f);
  for (const char* name : {"input_ids", "labels"}) {
    std::int32_t i = 0;
    if (!tensors.has(name)) continue;
    for (std::int32_t& token : tensors.of<std::int32_t>(name)) token = (number * 131 + i++ * 7) % 37;
  }
}

// Of every micro-batch of three runs, the second of which has fewer of them.
std::vector<std::vector<float>> results_of(const Stages& stages, const ExecutionOptions& execution,
                                           const std::string& name) {
  Machine machine(memory_store(), execution.replicas, 1, execution.pipeline.devices);
  Predictor predictor(stages, execution, machine);
  predictor.state().initialise(7);
  predictor.begin();
  run::BatchTensors tensors(predictor.stages());
  std::vector<std::vector<float>> results;
  const NamedValue& result = predictor.stages().back().results.front();
  EXPECT_EQ(result.name, name);
  const std::int64_t elements = predictor.stages().back().graph.spec(result.value).elements();
  for (int run = 0; run < 3; ++run) {
    const int micro_batches = run == 1 ? (execution.accumulation + 1) / 2 : execution.accumulation;
    const auto for_each = [&](auto visit) {
      for (int replica = 0; replica < execution.replicas; ++replica) {
        for (int m = 0; m < micro_batches; ++m) visit(replica, m);
      }
    };
    for_each([&](int replica, int m) {
      fill(tensors, 100 * run + 10 * replica + m);
      tensors.write(predictor, replica, m);
    });
    predictor.run(micro_batches);
    for_each([&](int replica, int m) {
      results.emplace_back(static_cast<std::size_t>(elements));
      predictor.read_result(name, replica, m, results.back());
    });
  }
  predictor.end();
  const Runner& runner = predictor.runner();
  EXPECT_EQ(runner.devices(), execution.pipeline.devices);
  for (int device = 0; device < runner.devices(); ++device) {
    EXPECT_EQ(runner.high_water_bytes(device), runner.plan(device).peak_bytes) << "device " << device;
  }
  return results;
}

// decoder, devices, schedule, mode, slices of the table, replicas, elements from which variables are sharded,
// micro-batches, precision, depth of overlap, group
using Case = std::tuple<bool, int, PipelineSchedule, Mode, int, int, std::int64_t, int, Precision, int, int>;

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  const auto& [decodes, devices, schedule, mode, slices, replicas, threshold, micro_batches, precision, depth, group] =
      info.param;
  return fmt::format("{}_devices_{}_{}_{}_slices_{}_replicas_{}_shard_{}_micro_batches_{}_{}_overlap_{}_group_{}",
                     decodes ? "decoder" : "bert", devices, kNamesOfSchedules[static_cast<int>(schedule)],
                     mode == Mode::phased ? "phased" : "monolithic", slices, replicas, threshold, micro_batches,
                     precision == Precision::bfloat16 ? "bfloat16" : "float32", depth, group);
}

class DevicesForward : public ::testing::TestWithParam<Case> {};

TEST_P(DevicesForward, ComputeWhatOneDoes) {
  const auto& [decodes, devices, schedule, mode, slices, replicas, threshold, micro_batches, precision, depth, group] =
      GetParam();
  const auto stages = [decodes = decodes](std::int64_t count) {
    return decodes ? decoder_stages(count) : bert_stages(count);
  };
  const std::string name = decodes ? "sums" : "logits";
  const ExecutionOptions alone{
      .replicas = replicas, .accumulation = micro_batches, .rts_threshold = 100, .precision = precision};
  ExecutionOptions shared = alone;
  shared.mode = mode;
  shared.rts_threshold = threshold;
  shared.prefetch_depth = shared.loop_overlap = depth;
  shared.pipeline = {.devices = devices, .schedule = schedule, .group = group};
  const auto expected = results_of(stages(1), alone, name);
  EXPECT_EQ(results_of(stages(mode == Mode::monolithic ? 1 : slices), shared, name), expected);
  EXPECT_NE(expected.front(), expected.back());
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, DevicesForward,
    ::testing::ValuesIn(pairwise<bool, int, PipelineSchedule, Mode, int, int, std::int64_t, int, Precision, int, int>(
        {false, true}, {2, 3}, {std::begin(kAllSchedules), std::end(kAllSchedules)}, {Mode::phased, Mode::monolithic},
        {1, 3}, {1, 2}, {0, 100'000}, {1, 4, 5}, {Precision::float32, Precision::bfloat16}, {0, 1}, {0, 1, 2})),
    name_of_case);

// What is resident is loaded once, and the more devices there are, the less of it lies on each.
TEST(DevicesOfInference, HoldWhatTheModeSays) {
  struct Held {
    std::int64_t peak_bytes = 0, loads = 0;  // of the state
  };
  const auto held = [](Mode mode, int devices) {
    Machine machine(memory_store(), 1, 1, devices);
    const Predictor predictor(bert_stages(1), {.mode = mode, .accumulation = 8, .pipeline = {.devices = devices}},
                              machine);
    Held result{.peak_bytes = predictor.runner().peak_bytes()};
    for (const Program& program : predictor.runner().pipeline().devices) {
      for (const Step& step : program.steps) {
        if (step.kind == StepKind::load && program.buffers[step.buffer].origin == Origin::state) ++result.loads;
      }
    }
    return result;
  };
  const Held resident = held(Mode::monolithic, 2);
  EXPECT_EQ(held(Mode::phased, 2).loads, 8 * resident.loads);
  EXPECT_EQ(held(Mode::monolithic, 4).loads, resident.loads);
  EXPECT_LT(held(Mode::monolithic, 4).peak_bytes, resident.peak_bytes);
}

}  // namespace
}  // namespace phasor::test::inference_over_devices
