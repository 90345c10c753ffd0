// A run that was interrupted and resumed ends with the bits of one that was not.
#include <fstream>
#include <gtest/gtest.h>

#include "io/hdf5.h"
#include "models/tasks/checkpoint.h"
#include "models/tasks/squad_training.h"
#include "tests/support/letter_files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::tasks {
namespace {

using namespace phasor::test;

constexpr auto kQuiet = io::ProgressStyle::Quiet;

class Training : public ::testing::Test {
 protected:
  Training() { write_letter_files(folder_.path(), 50); }

  std::string train(const RunConfig& config, const std::string& name) {
    return train_squad(config, "", folder_.file(name), kQuiet).checkpoint;
  }

  TemporaryFolder folder_;
};

// "" if the two checkpoints hold the same tensors to the bit.
std::string difference(const std::string& a, const std::string& b) {
  const io::Hdf5File first = io::Hdf5File::open(a), second = io::Hdf5File::open(b);
  for (const char* group : {"/weight", "/moment1", "/moment2"}) {
    if (first.children(group) != second.children(group)) return group;
    for (const std::string& name : first.children(group)) {
      const std::string tensor = fmt::format("{}/{}", group, name);
      if (first.read<float>(tensor) != second.read<float>(tensor)) return tensor;
    }
  }
  return {};
}

using Layout = std::tuple<int, Mode>;
class Resumed : public Training, public ::testing::WithParamInterface<std::tuple<Layout, Layout>> {};

// Both runs compute the same only if replicas do not show in sums: `reproducible` sees to that.
TEST_P(Resumed, EndsWithTheBitsOfTheStraightRun) {
  const auto& [before, after] = GetParam();
  RunConfig config = letter_run(folder_.path());
  config.execution.reproducible = true;
  std::tie(config.execution.data_parallel, config.execution.mode) = before;
  const std::string straight = train(config, "straight");

  config.training.stop_after = 5;  // in the middle of the second epoch
  config.checkpoint.load = train(config, "interrupted");
  EXPECT_NE(difference(straight, config.checkpoint.load), "");
  config.training.stop_after = 0;
  std::tie(config.execution.data_parallel, config.execution.mode) = after;
  EXPECT_EQ(difference(straight, train(config, "resumed")), "");
}

const auto kLayouts = ::testing::Combine(::testing::Values(1, 2, 4), ::testing::Values(Mode::phased, Mode::monolithic));
INSTANTIATE_TEST_SUITE_P(All, Resumed, ::testing::Combine(kLayouts, kLayouts));

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
  const SquadScores expected = evaluate_squad(config, kQuiet);
  for (const std::int64_t slices : {2, 7}) {
    config.execution.embedding_serialization_factor = slices;
    const SquadScores scores = evaluate_squad(config, kQuiet);
    EXPECT_EQ(scores.exact_match, expected.exact_match) << slices;
    EXPECT_EQ(scores.f1, expected.f1) << slices;
  }
}

TEST_F(Training, SavingDuringTheRunChangesNothing) {
  RunConfig config = letter_run(folder_.path());
  const std::string plain = train(config, "plain");
  for (const Mode mode : {Mode::phased, Mode::monolithic}) {
    config.execution.mode = mode;
    config.checkpoint.every_steps = 3;
    EXPECT_EQ(difference(plain, train(config, "saving")), "");
  }
}

TEST_F(Training, EvaluationTakesTheCheckpointsWeights) {
  RunConfig config = letter_run(folder_.path());
  config.model.dropout_prob = 0;
  config.model.initializer_range = 0.2f;
  config.training.steps = 150;
  config.training.learning_rate = 5e-3f;
  config.checkpoint.load = train(config, "run");
  for (const int replicas : {1, 2}) {
    config.execution.data_parallel = replicas;
    EXPECT_GT(evaluate_squad(config, kQuiet).exact_match, 90) << replicas;
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
  config.model.intermediate_size = 32;
  EXPECT_EQ(message_of([&] { train(config, "other"); }),
            fmt::format("checkpoint: '{}' tensor '/weight/bert.encoder.layer.0.intermediate.dense.weight' is f32[24, "
                        "16], the model's is f32[32, 16]",
                        config.checkpoint.load));
}

}  // namespace
}  // namespace phasor::tasks
