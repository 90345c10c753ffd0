// Runs whose checkpoints are scored.
#include <filesystem>

#include "models/checkpoint/files.h"
#include "tests/models/run/training_fixture.h"
#include "tests/support/run_parts.h"

namespace phasor::run {
namespace {

using namespace phasor::test;

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

// A run over several devices is scored over them, while it goes on and afterwards.
TEST_F(Training, EvaluatesOverDevices) {
  RunConfig config = letter_run(folder_.path());
  config.execution.pipeline.devices = 2;
  config.checkpoint.evaluate = true;
  config.checkpoint.load = train(config, "run");
  const squad::MeanScores shared = evaluate_squad(config);
  config.execution.mode = Mode::monolithic;
  const squad::MeanScores resident = evaluate_squad(config);
  config.execution.pipeline.devices = 1;
  const squad::MeanScores alone = evaluate_squad(config);
  for (const squad::MeanScores& scores : {shared, resident}) {
    EXPECT_EQ(scores.exact_match, alone.exact_match);
    EXPECT_EQ(scores.f1, alone.f1);
  }
  std::ifstream log(folder_.file("run/evaluations.jsonl"));
  std::string line;
  std::getline(log, line);
  EXPECT_EQ(nlohmann::json::parse(line)["f1"].get<double>(), alone.f1);
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

}  // namespace
}  // namespace phasor::run
