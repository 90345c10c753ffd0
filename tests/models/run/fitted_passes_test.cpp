// A trained model is asked within execution.device_memory: in smaller passes, or not at all.
#include "models/run/fitted_passes.h"

#include <gmock/gmock.h>

#include "engine/train/predictor.h"
#include "models/plan/refusal.h"
#include "models/plan/resolve_run.h"
#include "models/run/machine.h"
#include "tests/models/run/training_fixture.h"
#include "tests/support/message.h"

namespace phasor::run {
namespace {

namespace passes {

using ::testing::HasSubstr, ::testing::Not;

RunConfig small_run(int layers) {
  RunConfig config = test::letter_run("nowhere");
  test::bert_of(config).layers = layers;
  test::bert_of(config).vocab_size = 4000;
  config.training.global_batch_size = 6;
  config.execution.micro_batch_size = 6;
  return config;
}

FittedPasses found(RunConfig config, std::int64_t budget, std::int64_t rows = 12) {
  config.execution.device_memory.bytes = budget;
  const ResolvedRun run = settle_defaults(config);
  return find_passes(run, {.rows = rows, .largest = run.micro_batch_size, .devices = run.execution.pipeline.devices},
                     forward_programs);
}

std::int64_t planned(const FittedPasses& passes) { return forward_bytes(passes.run, forward_programs); }

std::int64_t measured(const FittedPasses& passes) {
  Machine machine = make_machine(passes.run);
  Predictor predictor(forward_stages(passes.run), passes.run.execution, machine);
  predictor.state().initialise(1);
  predictor.begin();
  predictor.run();
  std::int64_t bytes = 0;
  for (int device = 0; device < passes.run.execution.pipeline.devices; ++device) {
    bytes = std::max(bytes, predictor.runner().high_water_bytes(device));
  }
  return bytes;
}

// Deep models are planned as shallower ones, and run as they are.
TEST(FittedPasses, TakeWhatIsPlanned) {
  for (const int devices : {1, 2}) {
    for (const Mode mode : {Mode::phased, Mode::monolithic}) {
      RunConfig config = small_run(40);
      config.execution.mode = mode;
      config.execution.pipeline.devices = devices;
      const FittedPasses all = found(config, 0);
      EXPECT_EQ(all.sizes.micro_batch_size, 6);
      EXPECT_EQ(measured(all), planned(all)) << devices << " devices";
    }
  }
}

// Whatever the budget, what is found takes no more, and a byte less makes it another.
TEST(FittedPasses, AreAsLargeAsFit) {
  RunConfig config = small_run(2);
  config.execution.embedding_serialization_factor = 1;
  std::int64_t budget = planned(found(config, 0));
  std::vector<std::int64_t> sizes;
  for (FittedPasses passes = found(config, budget); passes.fit; passes = found(config, budget)) {
    EXPECT_LE(planned(passes), budget);
    EXPECT_EQ(measured(passes), planned(passes));
    EXPECT_EQ(passes.run.table_slices, 1);
    sizes.push_back(passes.sizes.micro_batch_size);
    budget = planned(passes) - 1;
  }
  EXPECT_EQ(sizes.front(), 6);
  EXPECT_TRUE(std::ranges::is_sorted(sizes, std::ranges::greater_equal{}));
}

// Slices and transfers that do not run ahead keep every bit: they come before smaller micro-batches.
TEST(FittedPasses, ChooseWhatIsLeftOpen) {
  RunConfig config = small_run(2);
  config.execution.remote_store = "file";
  config.execution.remote_path = "nowhere";
  const std::int64_t all = planned(found(config, 0));
  const FittedPasses behind = found(config, all - 1);
  EXPECT_EQ(behind.run.execution.prefetch_depth, 0);
  EXPECT_EQ(behind.run.execution.loop_overlap, 0);
  const FittedPasses sliced = found(config, planned(behind) - 1);
  EXPECT_EQ(sliced.run.table_slices, 2);
  EXPECT_EQ(sliced.sizes.micro_batch_size, 6);
  config.execution.prefetch_depth = 1;
  config.execution.embedding_serialization_factor = 1;
  const FittedPasses given = found(config, all - 1);
  EXPECT_EQ(given.run.execution.prefetch_depth, 1);
  EXPECT_EQ(given.run.table_slices, 1);
}

TEST_F(Training, ScoresWithinTheDevice) {
  RunConfig config = test::letter_run(folder_.path());
  config.execution.micro_batch_size = 4;
  config.checkpoint.load = train(config, "run");
  const squad::MeanScores expected = test::evaluate_squad(config);
  config.execution.embedding_serialization_factor = 1;
  const std::int64_t least = planned(found(config, 1, 50));
  ASSERT_LT(least, planned(found(config, 0, 50)));
  config.execution.device_memory.bytes = least;
  Heard heard;
  const squad::MeanScores scores = squad::evaluate(settle_defaults(config), heard);
  EXPECT_EQ(scores.f1, expected.f1);
  EXPECT_THAT(heard.notes, ::testing::Contains(HasSubstr("micro-batches of 1; peak of a pass")));
  config.execution.device_memory.bytes = least - 1;
  const std::string screen = test::message_of([&] { test::evaluate_squad(config); });
  EXPECT_THAT(screen, HasSubstr("is too little: a pass of the trained model takes"));
  EXPECT_THAT(screen, HasSubstr("in micro-batches of 1. At its peak, in '"));
  EXPECT_THAT(screen, HasSubstr("it holds\n"));
}

// What a change is said to take is what it takes. The table passes through the device, where slices are less of it.
TEST(FittedPasses, AreRefusedWithWhatWouldFit) {
  RunConfig config = small_run(2);
  config.execution.zero_copy = false;
  config.execution.embedding_serialization_factor = 1;
  const std::int64_t least = planned(found(config, 1));
  RunConfig halves = config;
  halves.execution.embedding_serialization_factor = 2;
  const std::int64_t with_halves = planned(found(halves, 1));
  ASSERT_LT(with_halves, least);
  const std::string screen = forward_refusal(found(config, with_halves).run, forward_programs);
  EXPECT_THAT(screen, HasSubstr(fmt::format("{:<44} {:>10.1f} MiB  fits", "execution.embedding_serialization_factor 2",
                                            mebibytes(with_halves))));
  EXPECT_THAT(forward_refusal(found(config, 1).run, forward_programs), Not(HasSubstr("fits")));
}

}  // namespace passes

}  // namespace
}  // namespace phasor::run
