// By what a run that goes on knows that its data is still the same.
#include <functional>
#include <gtest/gtest.h>

#include "models/squad/inputs.h"
#include "tests/support/letter_files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trained_letters.h"

namespace phasor::squad {
namespace {

using namespace phasor::test;

const Features kTwoFeatures{.rows = {0, 3, 5},
                            .tokens = {2, 9, 3, 2, 3},
                            .questions = {0, 1},
                            .context_begins = {1, 1},
                            .starts = {1, 0},
                            .ends = {1, 0}};

// Each of the same number of features.
TEST(Fingerprint, FollowsTokensWindowsAndAnswersInTheirOrder) {
  const auto fingerprint = [](const Features& features) { return FeatureSamples(features).fingerprint(); };
  const std::string expected = fingerprint(kTwoFeatures);
  EXPECT_EQ(fingerprint(Features(kTwoFeatures)), expected);
  const std::vector<std::function<void(Features&)>> changes = {
      [](auto& f) { f.tokens[1] = 8; },
      [](auto& f) { f.rows[1] = 2; },
      [](auto& f) { f.context_begins[1] = 2; },
      [](auto& f) { f.starts[0] = 2; },
      [](auto& f) { f.ends[1] = 1; },
      [](auto& f) { std::swap(f.starts, f.context_begins); },
      [](auto& f) { std::swap(f.starts[0], f.starts[1]); },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Features changed = kTwoFeatures;
    changes[i](changed);
    EXPECT_NE(fingerprint(changed), expected) << i;
  }
}

TEST(Fingerprint, ARunDoesNotGoOnWithAnotherAnswer) {
  const TemporaryFolder folder(Medium::memory);
  write_letter_files(folder.path(), 50);
  run::RunConfig config = letter_run(folder.path());
  config.training.stop_after = 2;
  const auto train = [&](const char* name) { return train_squad(config, "", folder.file(name)).checkpoint; };
  config.checkpoint.load = train("run");
  // The answer "b" stands behind "c d a ", and so does " z" behind it.
  std::string data = nlohmann::json::parse(std::ifstream(config.data.train)).dump();
  const std::string answer = R"("text":"b")";
  const auto place = data.find(answer);
  ASSERT_NE(place, data.npos);
  data.replace(place, answer.size(), R"("text":"b z")");
  std::ofstream(config.data.train) << data;
  const std::string message = message_of([&] { train("other"); });
  EXPECT_NE(message.find("is of a run on 50 samples of data.train with the fingerprint "), message.npos) << message;
  EXPECT_NE(message.find("this one has 50 with "), message.npos) << message;
}

}  // namespace
}  // namespace phasor::squad
