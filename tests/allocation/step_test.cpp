// Law 4: after the first, a training step takes nothing from the heap. A program of its own, since it replaces malloc.
#include <gtest/gtest.h>

#include "tests/support/heap_counter.h"
#include "tests/support/training_run.h"

namespace phasor::test {
namespace {

using test::HeapUse;

using Case = std::tuple<Mode, Precision, int, int>;  // mode, precision, replicas, prefetch_depth

class StepAllocatesNothing : public ::testing::TestWithParam<Case> {};

HeapUse use_of_third_step(RunOptions options) {
  options.steps = 4;
  HeapUse use;
  options.before_step = [](int step) {
    if (step == 2) test::start_counting();
  };
  options.after_step = [&](int step) {
    if (step == 2) use = test::stop_counting();
  };
  run_training(options);
  return use;
}

TEST_P(StepAllocatesNothing, AfterTheFirst) {
  RunOptions options;
  options.execution.accumulation = 2;
  options.execution.rts_threshold = 100;
  options.execution.threads_per_replica = 2;
  options.optimizer.max_grad_norm = 0.5f;
  std::tie(options.execution.mode, options.execution.precision, options.execution.replicas,
           options.execution.prefetch_depth) = GetParam();
  options.execution.loop_overlap = options.execution.prefetch_depth;
  options.execution.zero_copy = options.execution.replicas == 2;
  const HeapUse use = use_of_third_step(options);
  EXPECT_EQ(use.ours, 0);
  // oneDNN makes a map of the arguments of every call. Nothing that grows with the sizes of tensors may be among it.
  RecordProperty("library_allocations", static_cast<int>(use.libraries));
  RecordProperty("library_bytes", static_cast<int>(use.library_bytes));
  EXPECT_LE(use.library_bytes, use.libraries * 1024);
}

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  const auto& [mode, precision, replicas, depth] = info.param;
  return fmt::format("{}_{}_replicas_{}_prefetch_{}", mode == Mode::phased ? "phased" : "monolithic",
                     precision == Precision::bfloat16 ? "bfloat16" : "float32", replicas, depth);
}

INSTANTIATE_TEST_SUITE_P(All, StepAllocatesNothing,
                         ::testing::Combine(::testing::Values(Mode::phased, Mode::monolithic),
                                            ::testing::Values(Precision::float32, Precision::bfloat16),
                                            ::testing::Values(1, 2), ::testing::Values(0, 1)),
                         name_of_case);

TEST(StepOfSeveralDevices, AllocatesNothing) {
  for (const Mode mode : {Mode::phased, Mode::monolithic}) {
    RunOptions options;
    options.execution.mode = mode;
    options.execution.accumulation = 4;
    options.execution.pipeline = {.devices = 2, .group = 1};
    options.optimizer.max_grad_norm = 0.5f;
    EXPECT_EQ(use_of_third_step(options).ours, 0);
  }
}

// Of steps that run together, all but the first run.
TEST(StepsWithoutTheHost, AllocateNothing) {
  for (const int devices : {1, 2}) {
    RunOptions options;
    options.execution.accumulation = 4;
    options.execution.device_iterations = 2;
    options.execution.pipeline = {.devices = devices};
    options.steps = 6;
    HeapUse use;
    options.before_step = [](int step) {
      if (step == 3) test::start_counting();
    };
    options.after_step = [&](int step) {
      if (step == 3) use = test::stop_counting();
    };
    run_training(options);
    EXPECT_EQ(use.ours, 0) << devices;
  }
}

TEST(TracedStep, AllocatesNothing) {
  for (const int depth : {0, 1}) {
    RunOptions options;
    options.execution.replicas = 2;
    options.execution.prefetch_depth = options.execution.loop_overlap = depth;
    options.trace_steps = 2;
    EXPECT_EQ(use_of_third_step(options).ours, 0) << depth;
  }
}

// The counter counts: a heap that nobody watches would pass every test.
TEST(HeapCounter, SeesWhatTheProgramTakes) {
  test::start_counting();
  const auto* const number = new int(7);
  const int read = *static_cast<const volatile int*>(number);
  delete number;
  const HeapUse use = test::stop_counting();
  EXPECT_EQ(read, 7);
  EXPECT_EQ(use.ours, 1);
}

}  // namespace
}  // namespace phasor::test
