// What is told of a run that goes on with its gradients summed in another order.
#include "models/config/resumed_sums.h"

#include <gmock/gmock.h>

#include "models/config/config_file.h"

namespace phasor::run {
namespace {

// 24 samples a step.
RunConfig divided(int replicas, int micro_batch_size, bool reproducible = false) {
  RunConfig config;
  config.training.global_batch_size = 24;
  config.execution.data_parallel = replicas;
  config.execution.micro_batch_size = micro_batch_size;
  config.execution.reproducible = reproducible;
  return config;
}

std::string told(const RunConfig& before, const RunConfig& now) {
  return change_of_sums("run.h5", to_yaml(before), now);
}

TEST(ResumedSums, AnotherDivisionIsTold) {
  EXPECT_EQ(
      told(divided(1, 2), divided(4, 2)),
      "checkpoint: 'run.h5' goes on with 4 × 3 micro-batches of 2 instead of 1 × 12 micro-batches of 2 (replicas × "
      "micro-batches): gradients are summed in another order, so the run will not end with the bits of one "
      "without interruption. With execution.reproducible from the start replicas would not show");
  EXPECT_EQ(
      told(divided(2, 2, true), divided(2, 4, true)),
      "checkpoint: 'run.h5' goes on with 2 × 3 micro-batches of 4, reproducible instead of 2 × 6 micro-batches of "
      "2, reproducible (replicas × micro-batches): gradients are summed in another order, so the run will not end "
      "with the bits of one without interruption");
  RunConfig unpacked = divided(2, 2);
  std::get<task_options::SquadOptions>(unpacked.data.task).packing = false;
  EXPECT_THAT(
      told(divided(2, 2), unpacked),
      ::testing::HasSubstr("2 × 6 micro-batches of 2, not packed instead of 2 × 6 micro-batches of 2, packed ("));
  for (bool before : {false, true}) EXPECT_NE(told(divided(2, 2, before), divided(2, 2, !before)), "");
}

TEST(ResumedSums, NothingIsToldOfTheSameSums) {
  RunConfig now = divided(2, 2);
  now.execution.mode = Mode::monolithic;
  now.execution.threads_per_replica = 3;
  EXPECT_EQ(told(divided(2, 2), now), "");
  for (int replicas : {1, 2, 3, 4, 6, 12}) EXPECT_EQ(told(divided(4, 2, true), divided(replicas, 2, true)), "");
}

TEST(ResumedSums, NothingIsToldOfWhatIsNotKnown) {
  for (const char* yaml : {"", "[", "a: b", "model: {layers: 2}", "execution: {data_parallel: 0}"}) {
    EXPECT_EQ(change_of_sums("run.h5", yaml, divided(2, 2)), "") << yaml;
  }
}

}  // namespace
}  // namespace phasor::run
