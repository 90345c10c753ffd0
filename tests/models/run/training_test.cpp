// A run that was interrupted and resumed ends with the bits of one that was not.
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/bert/stages.h"
#include "models/checkpoint/files.h"
#include "models/checkpoint/summary.h"
#include "tests/support/letter_files.h"
#include "tests/support/message.h"
#include "tests/support/pairwise.h"
#include "tests/support/run_parts.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trained_letters.h"

namespace phasor::run {
namespace {

using namespace phasor::test;

class Training : public ::testing::Test {
 protected:
  Training() { write_letter_files(folder_.path(), 50); }

  std::string train(const RunConfig& config, const std::string& name) {
    return train_squad(config, "", folder_.file(name)).checkpoint;
  }

  TemporaryFolder folder_;
};

struct Heard : io::Listener {
  void note(const std::string& text) override { notes.push_back(text); }
  void warning(const std::string& text) override { warnings.push_back(text); }
  std::vector<std::string> notes, warnings;
};

// "" if runs that go on from the two checkpoints end alike.
std::string difference(const std::string& a, const std::string& b) {
  const std::vector<Difference> differences = compare_checkpoints(a, b);
  return differences.empty() ? "" : differences[0].name + ": " + differences[0].facts;
}

// The steps and losses of a run's metrics.
std::string losses_of(const std::string& path) {
  std::string losses;
  std::ifstream log(path);
  for (std::string line; std::getline(log, line);) {
    const nlohmann::json metrics = nlohmann::json::parse(line);
    losses += metrics["step"].dump() + " " + metrics["loss"].dump() + "\n";
  }
  return losses;
}

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
                         ::testing::ValuesIn(testing::pairwise<int, Mode, int, Mode, Precision>(
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

TEST_F(Training, EvaluatesWithSlicesOfTheEmbedding) {
  RunConfig config = letter_run(folder_.path());
  config.checkpoint.load = train(config, "run");
  const squad::MeanScores expected = evaluate_squad(config);
  for (const std::int64_t slices : {2, 7}) {
    config.execution.embedding_serialization_factor = slices;
    const squad::MeanScores scores = evaluate_squad(config);
    EXPECT_EQ(scores.exact_match, expected.exact_match) << slices;
    EXPECT_EQ(scores.f1, expected.f1) << slices;
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

// It ended at a step that only the way in which it goes on keeps and scores.
TEST_F(Training, ScoresWhereItGoesOn) {
  RunConfig config = letter_run(folder_.path());
  config.training.stop_after = 2;
  config.checkpoint.load = train(config, "run");
  config.training.stop_after = 3;
  config.checkpoint.every_steps = 1;
  config.checkpoint.evaluate = true;
  train(config, "run");
  const CheckpointFiles files(config.checkpoint.load, 0);
  EXPECT_EQ(files.steps(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_TRUE(std::filesystem::exists(files.best()));
}

// A run that was told to end before its first step has saved where it began.
TEST_F(Training, TheBeginningIsNotScored) {
  RunConfig config = letter_run(folder_.path());
  config.checkpoint.load = folder_.file("run/checkpoint.h5");
  std::filesystem::create_directory(folder_.file("run"));
  const Stages stages = architecture::training_stages(config.model, 1);
  RemoteMemory memory(memory_store(), 1);
  ModelState state(stages, memory, 0);
  state.initialise(1);
  save_checkpoint(config.checkpoint.load, stages, state, {});
  config.training.stop_after = 1;
  config.checkpoint.every_steps = 1;
  config.checkpoint.evaluate = true;
  train(config, "run");
  EXPECT_EQ(CheckpointFiles(config.checkpoint.load, 0).steps(), std::vector<std::int64_t>{1});
}

TEST_F(Training, KeepsTheBestByItsScores) {
  RunConfig config = letter_run(folder_.path());
  phasor::test::bert_of(config).dropout_prob = 0;
  phasor::test::bert_of(config).initializer_range = 0.2f;
  config.training.steps = 60;
  config.training.learning_rate = 5e-3f;
  config.checkpoint.every_steps = 20;
  config.checkpoint.keep = 1;
  config.checkpoint.evaluate = true;
  const TrainingOutcome outcome = train_squad(config, "", folder_.file("run"));
  ASSERT_TRUE(outcome.scores.has_value());
  std::ifstream log(folder_.file("run/evaluations.jsonl"));
  std::vector<double> scores;
  std::int64_t best = 0;
  for (std::string line; std::getline(log, line);) {
    scores.push_back(nlohmann::json::parse(line)["f1"].get<double>());
    if (scores.back() > scores[static_cast<std::size_t>(best)]) best = std::ssize(scores) - 1;
  }
  ASSERT_EQ(scores.size(), 3U);
  EXPECT_EQ(scores.back(), outcome.scores->values["f1"].get<double>());
  const std::string file = folder_.file("run/checkpoint-best.h5");
  EXPECT_EQ(read_position(file).step, 20 * (best + 1));
  config.checkpoint.load = file;
  EXPECT_EQ(evaluate_squad(config).f1, scores[static_cast<std::size_t>(best)]);
}

TEST_F(Training, ASaveThatFailsInTheMiddleLetsTrainingGoOn) {
  RunConfig config = letter_run(folder_.path());
  const std::string expected = train(config, "plain");
  config.checkpoint.every_steps = 4;
  // What stands where the file of step 4 belongs cannot be replaced by a file.
  std::filesystem::create_directories(folder_.file("run/checkpoint-00000004.h5/in the way"));
  Heard heard;
  EXPECT_EQ(difference(train_squad(config, "", folder_.file("run"), {}, heard).checkpoint, expected), "");
  ASSERT_EQ(heard.warnings.size(), 1U);
  EXPECT_TRUE(heard.warnings[0].starts_with("training: step 4 was not saved: file: '")) << heard.warnings[0];
  EXPECT_TRUE(heard.warnings[0].ends_with("; training goes on")) << heard.warnings[0];
  // The last one has to be saved.
  std::filesystem::remove(folder_.file("run/checkpoint-00000008.h5"));
  std::filesystem::create_directories(folder_.file("run/checkpoint-00000008.h5/in the way"));
  const std::string message = message_of([&] { train(config, "run"); });
  EXPECT_TRUE(message.starts_with("training: step 8 was not saved: ")) << message;
}

TEST_F(Training, EvaluationTakesTheCheckpointsWeights) {
  RunConfig config = letter_run(folder_.path());
  phasor::test::bert_of(config).dropout_prob = 0;
  phasor::test::bert_of(config).initializer_range = 0.2f;
  config.training.steps = 150;
  config.training.learning_rate = 5e-3f;
  config.checkpoint.load = train(config, "run");
  for (const int replicas : {1, 2}) {
    config.execution.data_parallel = replicas;
    EXPECT_GT(evaluate_squad(config).exact_match, 90) << replicas;
  }
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
