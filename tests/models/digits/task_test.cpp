// Training, checkpoints and scores, of digits as of any task.
#include "models/digits/task.h"

#include <gmock/gmock.h>

#include "io/figures/page.h"
#include "models/checkpoint/checkpoint.h"
#include "models/run/training.h"
#include "tests/support/digit_files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::digits {
namespace {

class DigitsTask : public ::testing::Test {
 protected:
  DigitsTask() {
    phasor::test::write_digit_files(folder_.path(), "train", 110, kSide);
    phasor::test::write_digit_files(folder_.path(), "t10k", 41, kSide);
  }
  run::TrainingOutcome train(const run::RunConfig& config, const std::string& output) {
    run::RunFolder folder(folder_.file(output));
    return run::train(Digits(),
                      {.run = run::settle_defaults(config), .record = "model: {}\n", .machine = {}, .changes = {}},
                      folder, io::silent());
  }

  static constexpr std::int64_t kSide = 16;
  phasor::test::TemporaryFolder folder_;
  run::RunConfig config_ = phasor::test::digit_run(folder_.path(), kSide);
};

TEST_F(DigitsTask, LearnsToTellThemApart) {
  config_.training.steps = 60;
  run::TrainingOutcome outcome = train(config_, "run");
  config_.checkpoint.load = outcome.checkpoint;
  const run::Scores scores = Digits().evaluate(run::settle_defaults(config_), io::silent());
  EXPECT_GT(scores.values["accuracy"].get<double>(), 95);
  EXPECT_EQ(scores.values["images"], 41);  // of passes that they do not fill
}

TEST_F(DigitsTask, IsCheckedBeforeTheFirstStep) {
  config_.data.dev = folder_.file("nowhere");
  EXPECT_THAT(phasor::test::message_of([&] { train(config_, "run"); }), ::testing::HasSubstr("nowhere"));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("run/metrics.jsonl")));
}

TEST_F(DigitsTask, WantsAModelForGreyImages) {
  const auto refusal = [&] { return phasor::test::message_of([&] { run::validate(config_); }); };
  std::get<convnet::Config>(config_.model).image_channels = 3;
  EXPECT_EQ(refusal(), "model.image_channels 3 is not 1: pictures of digits are grey");
  std::get<convnet::Config>(config_.model) = {.classes = 4};
  EXPECT_EQ(refusal(), "model.classes 4 is less than the 10 digits");
  config_.model = bert::Config{};
  EXPECT_EQ(refusal(), "data.task digits needs model.architecture convnet, not bert");
}

}  // namespace
}  // namespace phasor::digits
