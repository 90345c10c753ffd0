// The seed of a run is that of its first weights, of the order of its data and of dropout: each by itself.
#include <filesystem>
#include <gtest/gtest.h>

#include "models/bert/stages.h"
#include "models/checkpoint/checkpoint.h"
#include "models/report/metrics_log.h"
#include "tests/support/letter_files.h"
#include "tests/support/run_parts.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trained_letters.h"

namespace phasor::run {
namespace {

using namespace phasor::test;

class Seed : public ::testing::Test {
 protected:
  // With the same weights to start from, no dropout, and questions that are all one: nothing that could be drawn.
  Seed() {
    write_questions(1);
    config_ = letter_run(folder_.path());
    phasor::test::bert_of(config_).dropout_prob = 0;
    config_.training.steps = 3;
    const Stages stages = architecture::training_stages(config_.model, 1);
    RemoteMemory memory(memory_store(), 1);
    ModelState state(stages, memory, 0);
    state.initialise(7);
    config_.checkpoint.load = folder_.file("weights.h5");
    save_checkpoint(config_.checkpoint.load, stages, state, {});
  }

  void write_questions(int count) const { write_letter_files(folder_.path(), count); }

  std::vector<double> losses(std::int64_t seed) {
    config_.seed = seed;
    const std::string output = folder_.file(fmt::format("run{}", runs_++));
    train_squad(config_, "", output);
    std::vector<double> losses;
    for (const StepMetrics& step : read_metrics(output + "/metrics.jsonl")) losses.push_back(step.loss);
    return losses;
  }

  TemporaryFolder folder_{Medium::memory};
  RunConfig config_;
  int runs_ = 0;
};

TEST_F(Seed, DoesNothingWhereNothingIsDrawn) { EXPECT_EQ(losses(1), losses(2)); }

TEST_F(Seed, GivesTheFirstWeights) {
  config_.checkpoint.load.clear();
  EXPECT_NE(losses(1), losses(2));
  EXPECT_EQ(losses(2), losses(2));
}

TEST_F(Seed, GivesDropout) {
  phasor::test::bert_of(config_).dropout_prob = 0.1f;
  EXPECT_NE(losses(1), losses(2));
}

TEST_F(Seed, GivesTheOrderOfTheData) {
  write_questions(50);
  EXPECT_NE(losses(1), losses(2));
}

}  // namespace
}  // namespace phasor::run
