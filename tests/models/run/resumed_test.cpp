// A run that was interrupted and resumed ends with the bits of one that was not.
#include <functional>

#include "tests/models/run/training_fixture.h"
#include "tests/support/pairwise.h"

namespace phasor::run {
namespace {

using namespace phasor::test;

// Replicas and mode before, replicas and mode after, precision.
class Resumed : public Training, public ::testing::WithParamInterface<std::tuple<int, Mode, int, Mode, Precision>> {};

// Both runs compute the same only if replicas do not show in sums: `reproducible` sees to that.
TEST_P(Resumed, EndsWithTheBitsOfTheStraightRun) {
  const auto& [replicas, mode, replicas_after, mode_after, precision] = GetParam();
  RunConfig config = letter_run(folder_.path());
  config.precision = precision;
  config.execution.reproducible = true;
  config.execution.data_parallel = replicas;
  config.execution.mode = mode;
  const std::string straight = train(config, "straight");

  config.training.stop_after = 5;  // in the middle of the second epoch
  config.checkpoint.load = train(config, "interrupted");
  EXPECT_NE(difference(straight, config.checkpoint.load), "");
  config.training.stop_after = 0;
  config.execution.data_parallel = replicas_after;
  config.execution.mode = mode_after;
  EXPECT_EQ(difference(straight, train(config, "resumed")), "");
}

std::string name_of_resumed(const ::testing::TestParamInfo<Resumed::ParamType>& info) {
  const auto name = [](Mode mode) { return mode == Mode::phased ? "phased" : "monolithic"; };
  const auto& [replicas, mode, replicas_after, mode_after, precision] = info.param;
  return fmt::format("{}_on_{}_to_{}_on_{}_{}", name(mode), replicas, name(mode_after), replicas_after,
                     precision == Precision::bfloat16 ? "bfloat16" : "float32");
}

INSTANTIATE_TEST_SUITE_P(Pairs, Resumed,
                         ::testing::ValuesIn(test::pairwise<int, Mode, int, Mode, Precision>(
                             {1, 2, 4}, {Mode::phased, Mode::monolithic}, {1, 2, 4}, {Mode::phased, Mode::monolithic},
                             {Precision::float32, Precision::bfloat16})),
                         name_of_resumed);

// An epoch is four steps, of which the last has two of its fifty samples.
TEST_F(Training, GoesOnBehindAnyStepOfAnEpoch) {
  RunConfig config = letter_run(folder_.path());
  config.training.steps = 0;
  config.training.epochs = 2;
  const std::string straight = train(config, "straight");
  EXPECT_EQ(read_position(straight).step, 8);
  EXPECT_EQ(read_position(straight).samples, 100);
  for (const Mode mode : {Mode::phased, Mode::monolithic}) {
    config.execution.mode = mode;
    for (const std::int64_t step : {1, 3, 4, 5, 7}) {
      config.checkpoint.load.clear();
      config.training.stop_after = step;
      config.checkpoint.load = train(config, "interrupted");
      EXPECT_EQ(read_position(config.checkpoint.load).samples, step / 4 * 50 + step % 4 * 16);
      config.training.stop_after = 0;
      EXPECT_EQ(difference(straight, train(config, "resumed")), "") << step;
    }
  }
}

// Of fifty samples a step takes twelve, in the end two: on six replicas, of which five then have nothing that counts.
TEST_F(Training, ReplicasShareTheShortStepsOfEpochs) {
  RunConfig config = letter_run(folder_.path());
  config.training.global_batch_size = 12;
  config.training.steps = 0;
  config.execution.reproducible = true;
  const std::string expected = train(config, "one");
  EXPECT_EQ(read_position(expected).step, 15);
  EXPECT_EQ(read_position(expected).samples, 150);
  for (const int replicas : {2, 3, 6}) {
    config.execution.data_parallel = replicas;
    EXPECT_EQ(difference(expected, train(config, "several")), "") << replicas;
    EXPECT_EQ(losses_of(folder_.file("several/metrics.jsonl")), losses_of(folder_.file("one/metrics.jsonl")));
  }
}

// Six micro-batches: sums over three, over two and over one a replica, which are no powers of two, are one tree, too.
TEST_F(Training, EverySplitGoesOnWithTheSameBits) {
  RunConfig config = letter_run(folder_.path());
  config.training.global_batch_size = 12;
  config.training.optimizer.max_grad_norm = 0.5f;
  config.execution.reproducible = true;
  const std::string straight = train(config, "straight");
  const std::string losses = losses_of(folder_.file("straight/metrics.jsonl"));
  for (const auto& [before, after] : {std::pair{1, 2}, {2, 3}, {3, 1}, {6, 2}}) {
    for (const Mode mode : {Mode::phased, Mode::monolithic}) {
      config.execution.mode = mode;
      config.execution.data_parallel = before;
      config.training.stop_after = 5;
      config.checkpoint.load = train(config, "interrupted");
      config.execution.data_parallel = after;
      config.training.stop_after = 0;
      EXPECT_EQ(difference(straight, train(config, "interrupted")), "") << before << ", " << after;
      EXPECT_EQ(losses_of(folder_.file("interrupted/metrics.jsonl")), losses);
      config.checkpoint.load.clear();
    }
  }
}

// Slices leave no trace in a checkpoint: a run goes on with other slices, or none.
TEST_F(Training, SlicesOfTheEmbeddingDoNotShow) {
  RunConfig config = letter_run(folder_.path());
  config.training.optimizer.max_grad_norm = 0.5f;
  const std::string straight = train(config, "straight");
  for (const auto& [before, after] : {std::pair{1, 3}, std::pair{3, 1}, std::pair{2, 7}}) {
    config.training.stop_after = 5;
    config.execution.embedding_serialization_factor = before;
    config.checkpoint.load = train(config, fmt::format("interrupted{}", before));
    config.training.stop_after = 0;
    config.execution.embedding_serialization_factor = after;
    EXPECT_EQ(difference(straight, train(config, fmt::format("resumed{}", after))), "") << before << ", " << after;
    config.checkpoint.load.clear();
  }
}

// What may change when a run goes on, beside replicas and mode.
TEST_F(Training, ExecutionMayChangeWhenARunGoesOn) {
  RunConfig config = letter_run(folder_.path());
  config.execution.reproducible = true;
  config.execution.data_parallel = 2;
  const std::string straight = train(config, "straight");
  config.training.stop_after = 5;
  config.checkpoint.load = train(config, "interrupted");
  config.training.stop_after = 0;
  const std::vector<std::function<void(ExecutionConfig&)>> changes = {
      [&](auto& e) { e.remote_store = "file", e.remote_path = folder_.file("remote"); },
      [](auto& e) { e.recompute = Recompute::none; },
      [](auto& e) { e.recompute = Recompute::layer; },
      [](auto& e) { e.prefetch_depth = 2; },
      [](auto& e) { e.rts_threshold = 0; },
      [](auto& e) { e.replicated_tensor_sharding = false; },
      [](auto& e) { e.threads_per_replica = 3; },
      [](auto& e) { e.loss_scaling = 1024; },
      [](auto& e) { e.device_memory.bytes = 64 << 20; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    RunConfig changed = config;
    changes[i](changed.execution);
    const std::string resumed = train(changed, "resumed");
    const auto differences = compare_checkpoints(straight, resumed);
    const bool scaled = changed.execution.loss_scaling != 1;  // which the file tells
    EXPECT_EQ(differences.size(), scaled ? 1U : 0U) << i;
    if (scaled) {
      EXPECT_EQ(differences.at(0).name, "loss_scale");
    }
  }
}

}  // namespace
}  // namespace phasor::run
