// Small runs stand for large ones: the same peak, and the rest by what grows with layers and micro-batches.
#include "models/plan/small_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/program/simulate/simulator.h"
#include "models/architecture/model_config.h"
#include "models/plan/remote_bytes.h"
#include "tests/models/plan/buffer_bytes.h"
#include "tests/models/plan/run_within.h"
#include "tests/support/run_parts.h"

namespace phasor::run {
namespace {

using ::testing::HasSubstr;
using namespace budgets;

RunConfig config_of(int layers, int micro_batches) {
  RunConfig config = run_within(0);
  test::bert_of(config).layers = layers;
  config.execution.recompute = Recompute::layer;
  config.execution.micro_batch_size = 1;
  config.execution.prefetch_depth = 1;
  config.execution.loop_overlap = 1;
  config.training.global_batch_size = micro_batches;
  return config;
}

// Of `way` follow options that other transfers or slots come with.
RunConfig config_of(int layers, int micro_batches, int way) {
  RunConfig config = config_of(layers, micro_batches);
  config.execution.data_parallel = 1 + way % 2;
  config.training.global_batch_size *= config.execution.data_parallel;
  config.execution.embedding_serialization_factor = 1 + way;
  if (way == 0) config.execution.recompute = Recompute::none;
  if (way == 1) {
    config.execution.zero_copy = true;
    config.execution.device_iterations = 3;
    config.precision = Precision::bfloat16;
  }
  if (way == 2) {
    config.training.optimizer.max_grad_norm = 1;
    config.training.optimizer_name = "lamb";
  }
  if (way == 3) config.execution.mode = Mode::monolithic;
  return config;
}

void expect_small_one_to_stand_for(const ResolvedRun& run) {
  const ResolvedRun small = small_run(run);
  EXPECT_TRUE(architecture::layers(small.model) < architecture::layers(run.model) ||
              small.execution.accumulation < run.execution.accumulation);
  const PlannedRun whole = plan_run(run);
  EXPECT_EQ(plan_run(small).peak_bytes(), whole.peak_bytes());
  EXPECT_EQ(total(remote_bytes(run)), bytes_of_buffers(run, whole.pipeline));
}

TEST(SmallRun, StandsForALargeOneHoweverFarTransfersRunAhead) {
  for (const auto& [layers, micro_batches] : {std::pair{3, 25}, {25, 3}, {24, 25}}) {
    for (const auto& [depth, loop_overlap] :
         {std::pair{0, 0}, {1, 1}, {1, 0}, {0, 2}, {2, 2}, {3, 1}, {4, 0}, {7, 3}}) {
      for (const int way : {0, 1, 2, 3}) {
        if (way == 3 && micro_batches == 3) continue;  // each layer counts
        RunConfig config = config_of(layers, micro_batches, way);
        config.execution.prefetch_depth = depth;
        config.execution.loop_overlap = loop_overlap;
        SCOPED_TRACE(fmt::format("{} layers, {} micro-batches, depth {}, {}, way {}", layers, micro_batches, depth,
                                 loop_overlap, way));
        expect_small_one_to_stand_for(settle_defaults(config));
      }
    }
  }
}

struct Size {
  int layers = 0, micro_batches = 0;
  friend bool operator==(const Size&, const Size&) = default;
};
Size small_size(const RunConfig& config, Turns more = {}) {
  const ResolvedRun small = small_run(settle_defaults(config), more);
  return {architecture::layers(small.model), small.execution.accumulation};
}

TEST(SmallRun, LeavesTurnsOut) {
  const RunConfig config = config_of(1001, 601);  // copies by twos
  EXPECT_EQ(small_size(config), (Size{5, 5}));
  EXPECT_EQ(small_size(config, {.layers = 1}), (Size{7, 5}));
  EXPECT_EQ(small_size(config, {.layers = 1, .micro_batches = 2}), (Size{7, 9}));
  EXPECT_EQ(small_size(config_of(3, 5)), (Size{3, 5}));
}

TEST(SmallRun, KeepsWhateverCounts) {
  const Size whole{1000, 400};
  RunConfig config = config_of(whole.layers, whole.micro_batches);
  EXPECT_EQ(small_size(config), (Size{4, 4}));
  config.execution.kept_layers = 3;
  EXPECT_EQ(small_size(config), (Size{whole.layers, 4}));
  config.execution.reproducible = true;
  EXPECT_EQ(small_size(config), whole);
  config.execution.kept_layers = 0;
  EXPECT_EQ(small_size(config), (Size{4, whole.micro_batches}));
  config.execution.reproducible = false;
  config.execution.mode = Mode::monolithic;
  EXPECT_EQ(small_size(config), (Size{whole.layers, 4}));
}

// 34741 x 618141 is 5 x 2^32 + 1: no turn of one layer.
TEST(SmallRun, IsTheRunWhereTransfersRunFurtherAheadThanItIsLong) {
  RunConfig config = config_of(1000, 400);
  config.execution.prefetch_depth = 34740;
  config.execution.loop_overlap = 618140;
  EXPECT_EQ(small_size(config), (Size{1000, 400}));
}

// Its seconds are those of the whole.
TEST(ResolveRun, PredictsDeepModels) {
  RunConfig config = run_within(peak_with(Recompute::none, 1) + (1 << 20));
  test::bert_of(config).layers = 60;
  config.training.global_batch_size = 8;
  config.execution.remote_store = "file";
  config.execution.remote_path = "nowhere";
  config.execution.embedding_serialization_factor = 1;
  const Resolution choice = resolve(config, balanced);
  const PlannedRun run = plan_run(choice.run);
  const double seconds = simulate(run.pipeline, balanced({}, {})).step_seconds;
  EXPECT_THAT(choice.note, HasSubstr(fmt::format("{:.{}f} s a step", seconds, seconds < 10 ? 2 : 1)));
}

}  // namespace
}  // namespace phasor::run
