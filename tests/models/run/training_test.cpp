// What a run saves, says and refuses.
#include <filesystem>

#include "models/bert/stages.h"
#include "models/checkpoint/files.h"
#include "tests/models/run/training_fixture.h"
#include "tests/support/full_disk.h"
#include "tests/support/message.h"
#include "tests/support/run_parts.h"

namespace phasor::run {
namespace {

using namespace phasor::test;

// Each file holds the state of its step, although the next steps go on beside the saving.
TEST_F(Training, SavingDuringTheRunChangesNothing) {
  const RunConfig plain = letter_run(folder_.path());
  for (const Mode mode : {Mode::phased, Mode::monolithic}) {
    for (const int replicas : {1, 2}) {
      RunConfig config = plain;
      config.execution.mode = mode;
      config.execution.data_parallel = replicas;
      std::vector<std::string> expected;
      for (std::int64_t step = 1; step <= config.training.steps; ++step) {
        config.training.stop_after = step;
        expected.push_back(train(config, fmt::format("until {}", step)));
      }
      config.training.stop_after = 0;
      config.checkpoint.every_steps = 1;
      config.checkpoint.keep = 0;
      EXPECT_EQ(difference(train(config, "saving"), expected.back()), "");
      const CheckpointFiles files(folder_.file("saving/checkpoint.h5"), 0);
      for (std::int64_t step = 1; step <= config.training.steps; ++step) {
        EXPECT_EQ(difference(files.of_step(step), expected[static_cast<std::size_t>(step) - 1]), "");
      }
    }
  }
}

TEST_F(Training, TheListenerIsToldWhereARunStands) {
  RunConfig config = letter_run(folder_.path());
  config.data.dev.clear();
  const std::string output = folder_.file("run"), features = config.data.train + ": 50 features";
  const auto told = [&] {
    Heard heard;
    train_squad(config, "", output, {}, heard);
    EXPECT_TRUE(heard.warnings.empty());
    return heard.notes;
  };
  config.training.stop_after = 2;
  EXPECT_EQ(told(), (std::vector<std::string>{features}));
  config.checkpoint.load = folder_.file("run/checkpoint.h5");
  config.training.stop_after = 0;
  EXPECT_EQ(told(), (std::vector<std::string>{features, fmt::format("'{}' goes on behind step 2 of 8", output)}));
  EXPECT_EQ(told(),
            (std::vector<std::string>{features, fmt::format("'{}' is finished: it has done 8 of 8 steps", output)}));
}

TEST_F(Training, AnotherRunsCheckpointIsRefused) {
  RunConfig config = letter_run(folder_.path());
  config.training.stop_after = 2;
  config.checkpoint.load = train(config, "run");
  const std::string subject = fmt::format("checkpoint: '{}' is of a run ", config.checkpoint.load);
  const std::string hint = ". A resumed run takes the samples that are left; start one without checkpoint.load";
  RunConfig other = config;
  other.seed = 43;
  EXPECT_EQ(message_of([&] { train(other, "other"); }), subject + "with model.seed 42, this one has 43" + hint);
  other = config;
  other.training.global_batch_size = 8;
  EXPECT_EQ(message_of([&] { train(other, "other"); }),
            subject + "with training.global_batch_size 16, this one has 8" + hint);
  other = config;
  std::filesystem::create_directory(folder_.file("more"));
  write_letter_files(folder_.file("more"), 51);
  other.data.train = folder_.file("more/data.json");
  const std::string message = message_of([&] { train(other, "other"); });
  EXPECT_TRUE(message.starts_with(subject + "on 50 samples of data.train with the fingerprint ")) << message;
  EXPECT_NE(message.find("this one has 51 with "), message.npos) << message;
  // The same data from elsewhere is the same.
  write_letter_files(folder_.file("more"), 50);
  EXPECT_EQ(message_of([&] { train(other, "other"); }), "no error");
}

TEST_F(Training, WeightsToStartFromSuitEveryRun) {
  RunConfig config = letter_run(folder_.path());
  const std::string path = folder_.file("weights.h5");
  {
    const Stages stages = architecture::training_stages(config.model, 1);
    RemoteMemory memory(memory_store(), 1);
    ModelState state(stages, memory, 0);
    state.initialise(static_cast<std::uint64_t>(config.seed));
    save_checkpoint(path, stages, state, {.seed = 99});
  }
  const std::string expected = train(config, "from the seed");
  config.checkpoint.load = path;
  EXPECT_EQ(difference(train(config, "from the file"), expected), "");
}

TEST_F(Training, ASaveThatFailsInTheMiddleLetsTrainingGoOn) {
  RunConfig config = letter_run(folder_.path());
  const auto bytes = std::filesystem::file_size(train(config, "plain"));
  config.checkpoint.every_steps = 4;
  Heard heard;
  const FullDisk disk(bytes - 100);
  const std::string message = message_of([&] { train_squad(config, "", folder_.file("run"), {}, heard); });
  ASSERT_EQ(heard.warnings.size(), 1U) << message;
  EXPECT_TRUE(heard.warnings[0].starts_with("training: step 4 was not saved: ")) << heard.warnings[0];
  EXPECT_TRUE(heard.warnings[0].ends_with("; training goes on")) << heard.warnings[0];
  // The last one has to be saved.
  EXPECT_TRUE(message.starts_with("training: step 8 was not saved: ")) << message;
}

TEST_F(Training, ACheckpointWithoutANameOfItsOwnIsStillTheRuns) {
  RunConfig config = letter_run(folder_.path());
  const std::string expected = train(config, "plain");
  config.checkpoint.every_steps = 4;
  // What stands where the files of steps belong cannot be replaced by a file.
  for (const char* name : {"run/checkpoint-00000004.h5/in the way", "run/checkpoint-00000008.h5/in the way"})
    std::filesystem::create_directories(folder_.file(name));
  Heard heard;
  EXPECT_EQ(difference(train_squad(config, "", folder_.file("run"), {}, heard).checkpoint, expected), "");
  ASSERT_EQ(heard.warnings.size(), 2U);
  for (std::size_t i : {0, 1})
    EXPECT_TRUE(heard.warnings[i].starts_with(
        fmt::format("training: step {} is saved, but not under a name of its own: file: '", 4 * (i + 1))))
        << heard.warnings[i];
}

TEST_F(Training, ALossThatIsNotFiniteEndsTheRun) {
  RunConfig config = letter_run(folder_.path());
  config.training.learning_rate = 1e30f;
  config.training.warmup_proportion = 0;
  EXPECT_NE(message_of([&] { train(config, "run"); }).find("smaller learning rate"), std::string::npos);
}

TEST_F(Training, ACheckpointOfAnotherModelIsRefused) {
  RunConfig config = letter_run(folder_.path());
  config.training.steps = 1;
  config.checkpoint.load = train(config, "run");
  phasor::test::bert_of(config).intermediate_size = 32;
  EXPECT_EQ(message_of([&] { train(config, "other"); }),
            fmt::format("checkpoint: '{}' tensor '/weight/bert.encoder.layer.0.intermediate.dense.weight' is f32[24, "
                        "16], the model's is f32[32, 16]",
                        config.checkpoint.load));
}

}  // namespace
}  // namespace phasor::run
