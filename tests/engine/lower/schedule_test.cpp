// Which micro-batches a device of a pipeline takes when.
#include "engine/lower/schedule.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/lower/parts.h"

namespace phasor::test::schedules {
namespace {

ExecutionOptions options(PipelineSchedule schedule, int devices, int micro_batches, int group = 1) {
  return {.mode = Mode::monolithic,
          .accumulation = micro_batches,
          .pipeline = {.devices = devices, .schedule = schedule, .group = group}};
}

// "F0 F1 B0": forward and backward, with the part where it is not the device's first: "F1.0".
std::string text_of(const ExecutionOptions& execution, int device) {
  std::string text;
  for (const Task& task : schedule_tasks(execution, device)) {
    const int part = task.part / execution.pipeline.devices;
    text += fmt::format("{}{}{}{} ", task.backward ? "B" : "F", part > 0 ? fmt::format("{}.", part) : "", task.first,
                        task.end > task.first + 1 ? fmt::format("-{}", task.end - 1) : "");
  }
  if (!text.empty()) text.pop_back();
  return text;
}

TEST(Schedule, SequentialHasOneUnderWay) {
  for (int device : {0, 1}) EXPECT_EQ(text_of(options(PipelineSchedule::sequential, 2, 2), device), "F0 B0 F1 B1");
}

TEST(Schedule, GpipeGoesForwardFirst) {
  EXPECT_EQ(text_of(options(PipelineSchedule::gpipe, 2, 3), 0), "F0 F1 F2 B0 B1 B2");
  EXPECT_EQ(text_of(options(PipelineSchedule::gpipe, 2, 5, 2), 1), "F0-1 F2-3 F4 B0-1 B2-3 B4");
}

TEST(Schedule, OneForwardOneBackwardKeepsFewUnderWay) {
  EXPECT_EQ(text_of(options(PipelineSchedule::one_f_one_b, 3, 4), 0), "F0 F1 F2 B0 F3 B1 B2 B3");
  EXPECT_EQ(text_of(options(PipelineSchedule::one_f_one_b, 3, 4), 1), "F0 F1 B0 F2 B1 F3 B2 B3");
  EXPECT_EQ(text_of(options(PipelineSchedule::one_f_one_b, 3, 4), 2), "F0 B0 F1 B1 F2 B2 F3 B3");
}

TEST(Schedule, InterleavedTakesThePartsInTurn) {
  EXPECT_EQ(text_of(options(PipelineSchedule::interleaved, 2, 3), 1),
            "F0 F1 F1.0 B1.0 F1.1 B1.1 F2 B0 F1.2 B1 B1.2 B2");
}

TEST(Schedule, ForwardAloneKeepsTheOrder) {
  const auto forward = [](PipelineSchedule schedule) {
    std::string text;
    for (const Task& task : schedule_forward(options(schedule, 2, 3), 1)) {
      text += fmt::format("{}.{} ", task.part / 2, task.first);
    }
    return text;
  };
  EXPECT_EQ(forward(PipelineSchedule::one_f_one_b), "0.0 0.1 0.2 ");
  EXPECT_EQ(forward(PipelineSchedule::sequential), "0.0 0.1 0.2 ");
  EXPECT_EQ(forward(PipelineSchedule::interleaved), "0.0 0.1 1.0 1.1 0.2 1.2 ");
}

TEST(Schedule, ASingleDeviceTakesAllAtOnce) {
  EXPECT_EQ(text_of(options(PipelineSchedule::one_f_one_b, 1, 4), 0), "F0-3 B0-3");
}

// Whatever the schedule, each part sees every micro-batch once forward and once backward, in order, forward first.
TEST(Schedule, EveryPartSeesEveryMicroBatchInOrder) {
  for (const PipelineSchedule schedule : {PipelineSchedule::sequential, PipelineSchedule::gpipe,
                                          PipelineSchedule::one_f_one_b, PipelineSchedule::interleaved}) {
    for (int devices = 2; devices <= 5; ++devices) {
      for (int micro_batches = 1; micro_batches <= 9; ++micro_batches) {
        for (int group = 1; group <= 3; ++group) {
          const ExecutionOptions execution = options(schedule, devices, micro_batches, group);
          const int parts = count_parts(execution.pipeline);
          std::vector<int> forward(parts, 0), backward(parts, 0);
          for (int device = 0; device < devices; ++device) {
            for (const Task& task : schedule_tasks(execution, device)) {
              ASSERT_EQ(task.part % devices, device);
              int& next = (task.backward ? backward : forward)[task.part];
              ASSERT_EQ(task.first, next);
              ASSERT_GT(task.end, task.first);
              next = task.end;
              ASSERT_LE(backward[task.part], forward[task.part]);
            }
          }
          ASSERT_TRUE(std::ranges::all_of(forward, [&](int end) { return end == micro_batches; }));
          ASSERT_EQ(forward, backward);
        }
      }
    }
  }
}

}  // namespace
}  // namespace phasor::test::schedules
