// What runs that are scored while they train do with their store and their files.
#include <filesystem>
#include <gtest/gtest.h>

#include "io/files/text_file.h"
#include "models/checkpoint/files.h"
#include "models/checkpoint/summary.h"
#include "models/report/metrics_log.h"
#include "tests/support/letter_files.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trained_letters.h"

namespace phasor::run {
namespace {

using namespace phasor::test;

class ScoredRun : public ::testing::Test {
 protected:
  ScoredRun() {
    write_letter_files(folder_.path(), 24);
    config_ = letter_run(folder_.path());
    config_.training.steps = 4;
    config_.checkpoint.every_steps = 1;
    config_.checkpoint.evaluate = true;
  }

  TrainingOutcome train(const std::string& name) { return train_squad(config_, "", folder_.file(name)); }

  TemporaryFolder folder_{Medium::memory};
  RunConfig config_;
};

// The model that is scored must not take the room of the one that trains.
TEST_F(ScoredRun, InFilesIsThatInMemory) {
  for (const Mode mode : {Mode::phased, Mode::monolithic}) {
    config_.execution.mode = mode;
    config_.execution.remote_store = "memory";
    config_.execution.remote_path.clear();
    const TrainingOutcome expected = train("memory");
    config_.execution.remote_store = "file";
    config_.execution.remote_path = folder_.file("store");
    const TrainingOutcome outcome = train("files");
    const auto a = read_metrics(folder_.file("memory/metrics.jsonl")),
               b = read_metrics(folder_.file("files/metrics.jsonl"));
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].loss, b[i].loss) << i;
    EXPECT_TRUE(compare_checkpoints(expected.checkpoint, outcome.checkpoint).empty());
    EXPECT_EQ(io::read_file("test", folder_.file("memory/evaluations.jsonl")),
              io::read_file("test", folder_.file("files/evaluations.jsonl")));
  }
}

// At a rate of 0 all scores are one, of which the first is the best: its file stays, however few are kept.
TEST_F(ScoredRun, KeepsTheFileOfTheBestStep) {
  config_.training.learning_rate = 0;
  config_.checkpoint.keep = 1;
  train("run");
  const CheckpointFiles files(folder_.file("run/checkpoint.h5"), 1);
  EXPECT_EQ(files.steps(), (std::vector<std::int64_t>{1, 4}));
  EXPECT_EQ(read_position(files.best()).step, 1);
}

}  // namespace
}  // namespace phasor::run
