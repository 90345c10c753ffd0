// The loop, its checkpoints and its report serve any task: one that is not SQuAD, whose scores are better when lower.
#include "models/run/task.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "io/files/text_file.h"
#include "models/batches/row_segments.h"
#include "models/batches/step_batch.h"
#include "models/bert/stages.h"
#include "models/checkpoint/checkpoint.h"
#include "models/checkpoint/files.h"
#include "models/run/training.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::run {
namespace {

using namespace phasor::test;

constexpr std::int64_t kSequence = 8;

// The first token of a sample is where its answer begins and ends. Sample 3 is one that nobody can answer: it has no
// label.
class FirstTokens : public Samples {
 public:
  std::int64_t size() const override { return 12; }
  std::int64_t labels(std::int64_t sample) const override { return sample == 3 ? 0 : 2; }
  std::int64_t tokens(std::int64_t) const override { return kSequence; }
  std::string fingerprint() const override { return std::string(32, '7'); }

  void fill(std::span<const Place> places, BatchTensors& tensors) const override {
    tensors.clear();
    write_segments(places, *this, tensors);
    for (const Place& place : places) {
      const auto answer = static_cast<std::int32_t>(place.sample % kSequence);
      for (std::int64_t p = 0; p < kSequence; ++p) {
        tensors.of<std::int32_t>("input_ids")[place.row * kSequence + p] = answer + 1;
      }
      for (const std::int64_t label : {place.row, tensors.shape("input_ids")[0] + place.row}) {
        tensors.of<std::int32_t>("labels")[label] = answer;
        tensors.of<float>("label_weights")[label] = labels(place.sample) > 0 ? place.label_weight : 0;
      }
    }
  }
};

// Its errors are those that it was told, one after the other.
class Guessing : public Task {
 public:
  explicit Guessing(std::vector<double> errors) : errors_(std::move(errors)) {}

  std::string name() const override { return "guessing"; }
  std::unique_ptr<Samples> training_samples(const ResolvedRun&, io::Listener&) const override {
    return std::make_unique<FirstTokens>();
  }
  Measure measure() const override { return {.name = "error", .more_is_better = false}; }
  bool can_evaluate(const ResolvedRun& config) const override { return !config.data.dev.empty(); }
  void check_evaluation(const ResolvedRun& config, io::Listener&) const override {
    check(config.data.dev == "guesses", "guessing: '{}' are no guesses", config.data.dev);
  }
  Scores evaluate(const ResolvedRun& config, io::Listener&) const override {
    const double error = errors_.at(static_cast<std::size_t>(read_position(config.checkpoint.load).step) - 1);
    return {
        .values = {{"table", {{1, 2}, {3, 4}}}, {"error", error}},
        .logged = {"error"},
        .text = "",
        .figures = {{.title = "Wrong guesses", .note = "of all", .picture = fmt::format("<svg id=\"{}\"/>", error)}}};
  }
  Predictions predict(const ResolvedRun&, const PredictRequest&, io::Listener&) const override { return {}; }

 private:
  std::vector<double> errors_;
};

class AnyTask : public ::testing::Test {
 protected:
  AnyTask() {
    config_.model = bert::Config{.layers = 1,
                                 .hidden_size = 8,
                                 .heads = 1,
                                 .intermediate_size = 8,
                                 .sequence_length = kSequence,
                                 .max_positions = kSequence,
                                 .vocab_size = 9};
    std::get<task_options::SquadOptions>(config_.data.task).packing = false;
    config_.data.dev = "guesses";
    config_.training.steps = 4;
    config_.training.global_batch_size = 4;
    config_.execution.micro_batch_size = 2;
    config_.execution.threads_per_replica = 1;
    config_.checkpoint.every_steps = 1;
    config_.checkpoint.evaluate = true;
    config_.checkpoint.keep = 1;
    config_.watch.report = true;
  }

  TrainingOutcome train(const Task& task) {
    RunFolder folder(output_);
    return run::train(task, {.run = settle_defaults(config_), .record = "", .machine = {}, .changes = {}}, folder,
                      io::silent());
  }

  TemporaryFolder folder_{Medium::memory};
  std::string output_ = folder_.file("run");
  RunConfig config_;
};

TEST_F(AnyTask, TheLowestErrorIsTheBest) {
  const TrainingOutcome outcome = train(Guessing({3, 1, 1, 2}));
  EXPECT_EQ(io::read_file("test", output_ + "/evaluations.jsonl"),
            "{\"step\":1,\"error\":3.0}\n{\"step\":2,\"error\":1.0}\n{\"step\":3,\"error\":1.0}\n"
            "{\"step\":4,\"error\":2.0}\n");
  const CheckpointFiles files(output_ + "/checkpoint.h5", 1);
  EXPECT_EQ(read_position(files.best()).step, 2);
  EXPECT_EQ(files.steps(), (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(outcome.scores->values.dump(), R"({"table":[[1,2],[3,4]],"error":2.0})");
}

TEST_F(AnyTask, ItsPicturesAreInTheReport) {
  train(Guessing({3, 1, 1, 2}));
  const std::string html = io::read_file("test", output_ + "/report.html");
  EXPECT_NE(html.find("Wrong guesses"), html.npos);
  EXPECT_NE(html.find("<svg id=\"2\"/>"), html.npos);  // of the newest evaluation
  EXPECT_EQ(html.find("<svg id=\"1\"/>"), html.npos);
}

TEST_F(AnyTask, WhatItCannotScoreShowsBeforeTraining) {
  config_.data.dev = "facts";
  EXPECT_EQ(message_of([&] { train(Guessing({})); }), "guessing: 'facts' are no guesses");
  EXPECT_FALSE(std::filesystem::exists(output_));
}

// A step's labels weigh as many as there are of them, wherever their samples stand.
TEST(WriteStep, WeighsTheLabelsThatThereAre) {
  const bert::Config model{.layers = 1,
                           .hidden_size = 8,
                           .heads = 1,
                           .intermediate_size = 8,
                           .sequence_length = kSequence,
                           .max_positions = kSequence,
                           .vocab_size = 9};
  const StepLayout layout{.replicas = 2, .rows = 1};
  Machine machine(memory_store(), 2, 1);
  Trainer trainer(bert::training_stages(model, 1), {}, {.replicas = 2, .accumulation = 2}, 1, machine);
  BatchTensors tensors(trainer.stages());
  EXPECT_EQ(write_step(FirstTokens(), std::vector<std::int64_t>{5, 3, 0, 1}, layout, tensors, trainer), 2);
  const auto read = [&]<class T>(const char* name, int replica, int m, std::vector<T> values) {
    machine.memory[std::string("train.batch.") + name].load(replica, m, std::span(values));
    return values;
  };
  const std::vector<std::int32_t> samples{5, 3, 0, 1};
  for (int i = 0; i < 4; ++i) {
    const std::int32_t sample = samples[static_cast<std::size_t>(i)];
    const float weight = sample == 3 ? 0 : 1.0f / 6;
    EXPECT_EQ(read("labels", i / 2, i % 2, std::vector<std::int32_t>(2)), (std::vector<std::int32_t>(2, sample)));
    EXPECT_EQ(read("label_weights", i / 2, i % 2, std::vector<float>(2)), (std::vector<float>(2, weight)));
  }
  // Fewer samples: the place that is left is empty.
  EXPECT_EQ(write_step(FirstTokens(), std::vector<std::int64_t>{7}, layout, tensors, trainer), 1);
  for (const int replica : {0, 1}) {
    EXPECT_EQ(read("labels", replica, 0, std::vector<std::int32_t>(2)),
              (std::vector<std::int32_t>(2, replica == 0 ? 7 : 0)));
    EXPECT_EQ(read("label_weights", replica, 0, std::vector<float>(2)),
              (std::vector<float>(2, replica == 0 ? 0.5f : 0)));
  }
  EXPECT_THROW(write_step(FirstTokens(), {}, layout, tensors, trainer), InternalError);
}

}  // namespace
}  // namespace phasor::run
