// What a run tells its trainer in every step, and what it tells people of that.
#include <filesystem>
#include <gtest/gtest.h>
#include <numeric>

#include "engine/train/trainer.h"
#include "io/files/text_file.h"
#include "models/batches/data_order.h"
#include "models/bert/stages.h"
#include "models/checkpoint/checkpoint.h"
#include "models/report/metrics_log.h"
#include "models/run/steps.h"
#include "tests/support/event_records.h"
#include "tests/support/letter_files.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trained_letters.h"

namespace phasor::run {
namespace {

using namespace phasor::test;

class TrainingNumbers : public ::testing::Test {
 protected:
  TrainingNumbers() {
    write_letter_files(folder_.path(), 50);
    config_ = letter_run(folder_.path());
  }

  TrainingOutcome train() { return train_squad(config_, "", output_); }
  std::vector<StepMetrics> metrics() const { return read_metrics(output_ + "/metrics.jsonl"); }
  std::vector<double> losses() const {
    std::vector<double> losses;
    for (const StepMetrics& step : metrics()) losses.push_back(step.loss);
    return losses;
  }

  TemporaryFolder folder_{Medium::memory};
  std::string output_ = folder_.file("run");
  RunConfig config_;
};

// Takes the samples in the order of the data, as the next step's, and returns in how many micro-batches: of whole ones,
// as the epoch's last two samples are one. A label counts for half a sample.
int write_next_batch(Trainer& trainer, const RunConfig& config, const Samples& samples, DataOrder& order,
                     std::int64_t& position) {
  const std::int64_t size = config.execution.micro_batch_size;
  const std::int64_t taken = order.samples_of_step(position, config.training.global_batch_size);
  BatchTensors tensors(trainer.stages());
  for (int m = 0; m < taken / size; ++m) {
    std::vector<Place> places;
    for (std::int64_t i = 0; i < size; ++i) {
      places.push_back({.sample = order.sample_at(position++),
                        .label_weight = 0.5f / static_cast<float>(taken),
                        .row = i,
                        .number = i});
    }
    samples.fill(places, tensors);
    tensors.write(trainer, 0, m);
  }
  return static_cast<int>(taken / size);
}

TEST_F(TrainingNumbers, ARunIsATrainerThatFollowsTheSchedule) {
  config_.training.warmup_proportion = 0.4;
  config_.training.optimizer.bias_correction = true;
  config_.training.optimizer.max_grad_norm = 0.5f;
  config_.execution.loss_scaling = 3;
  const std::string checkpoint = train().checkpoint;

  const ResolvedRun resolved = settle_defaults(config_);
  Machine machine(memory_store(), 1, 1);
  Trainer trainer(architecture::training_stages(config_.model, config_.execution.micro_batch_size),
                  resolved.training.optimizer, resolved.execution, static_cast<int>(config_.execution.micro_batch_size),
                  machine);
  const auto seed = static_cast<std::uint64_t>(config_.seed);
  trainer.state().initialise(seed);
  const auto samples = squad::Squad().training_samples(resolved, io::silent());
  DataOrder order(seed, samples->size());
  const Schedule schedule{.function = Schedule::Function::linear,
                          .maximum = config_.training.learning_rate,
                          .warmup_proportion = 0.4,
                          .steps = config_.training.steps};
  const std::vector<StepMetrics> told = metrics();
  ASSERT_EQ(std::ssize(told), config_.training.steps);
  std::int64_t position = 0;
  for (std::int64_t step = 0; step < config_.training.steps; ++step) {
    const int micro_batches = write_next_batch(trainer, config_, *samples, order, position);
    const float rate = learning_rate(schedule, step);
    const double loss =
        trainer.step({.step = step, .seed = seed, .learning_rate = rate, .loss_scale = 3}, micro_batches);
    const StepMetrics& line = told[static_cast<std::size_t>(step)];
    EXPECT_EQ(line.step, step + 1);
    EXPECT_EQ(line.learning_rate, rate) << step;
    EXPECT_EQ(line.loss, loss) << step;
    EXPECT_EQ(line.device_peak_bytes, trainer.runner().plan().peak_bytes);
  }
  // The last update shows in no loss.
  RemoteMemory memory(memory_store(), 1);
  ModelState saved(trainer.stages(), memory, 0);
  load_checkpoint(checkpoint, trainer.stages(), saved);
  for (const CanonicalTensor& tensor : canonical_tensors(trainer.stages())) {
    for (const StateKind kind : kSavedStates) {
      EXPECT_EQ(saved.read(kind, tensor), trainer.state().read(kind, tensor)) << tensor.name;
    }
  }
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST_F(TrainingNumbers, TheOutcomeSumsUpTheLog) {
  config_.training.steps = 12;
  const TrainingOutcome outcome = train();
  const std::vector<double> all = losses();
  EXPECT_EQ(outcome.steps, 12);
  EXPECT_DOUBLE_EQ(outcome.loss.first, mean_of(std::span(all).first(10)));
  EXPECT_DOUBLE_EQ(outcome.loss.last, mean_of(std::span(all).last(10)));
  EXPECT_NE(outcome.loss.first, outcome.loss.last);
  EXPECT_DOUBLE_EQ(outcome.samples_per_second * outcome.seconds, 3 * 50);  // epochs
  double in_steps = 0;
  for (const StepMetrics& step : metrics()) {
    EXPECT_EQ(step.samples, step.step % 4 == 0 ? 2 : 16);
    in_steps += static_cast<double>(step.samples) / step.samples_per_second;
  }
  EXPECT_GT(in_steps, 0);
  EXPECT_LE(in_steps, outcome.seconds);
}

// Steps before a resume are done, but not this run's.
TEST_F(TrainingNumbers, TheOutcomeOfAResumedRunIsOfItsOwnSteps) {
  config_.training.stop_after = 5;
  config_.checkpoint.load = train().checkpoint;
  config_.training.stop_after = 0;
  output_ = folder_.file("resumed");
  const TrainingOutcome outcome = train();
  EXPECT_EQ(outcome.steps, 8);
  EXPECT_DOUBLE_EQ(outcome.samples_per_second * outcome.seconds, 16 + 16 + 2);  // the rest of the second epoch
  const std::vector<double> all = losses();
  ASSERT_GE(all.size(), 3U);
  EXPECT_DOUBLE_EQ(outcome.loss.last, mean_of(std::span(all).last(3)));
}

TEST_F(TrainingNumbers, TensorBoardIsToldWhatTheLogSays) {
  config_.watch.tensorboard = true;
  train();
  std::string path;
  for (const auto& entry : std::filesystem::directory_iterator(output_)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("events.out.tfevents.")) path = entry.path();
  }
  const std::vector<std::string> records = read_records(io::read_file("test", path));
  const std::vector<StepMetrics> told = metrics();
  ASSERT_EQ(records.size(), 2 + told.size());  // behind the version and the start
  for (std::size_t i = 0; i < told.size(); ++i) {
    const StepMetrics& step = told[i];
    EXPECT_EQ(only(parse(records[2 + i]), 2).number, static_cast<std::uint64_t>(step.step));
    EXPECT_EQ(scalars_of(records[2 + i]),
              (std::map<std::string, float>{{"training/loss", static_cast<float>(step.loss)},
                                            {"training/learning_rate", static_cast<float>(step.learning_rate)},
                                            {"speed/samples_per_second", static_cast<float>(step.samples_per_second)},
                                            {"speed/stall_seconds", static_cast<float>(step.stall_seconds)}}));
  }
}

TEST(TotalSteps, AreThoseThatTheEpochsTake) {
  TrainingConfig training{.steps = 0, .epochs = 2, .global_batch_size = 16};
  EXPECT_EQ(total_steps(training, 50), 8);
  EXPECT_EQ(total_steps(training, 48), 6);
  training.steps = 7;
  EXPECT_EQ(total_steps(training, 64), 7);
}

}  // namespace
}  // namespace phasor::run
