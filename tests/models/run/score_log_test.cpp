#include "models/run/score_log.h"

#include <fstream>
#include <gtest/gtest.h>

#include "io/files/text_file.h"
#include "tests/support/temporary_folder.h"

namespace phasor::run {
namespace {

const Measure kF1{.name = "f1"};

class ScoreLogTest : public ::testing::Test {
 protected:
  void set(const std::string& text) const { std::ofstream(path_) << text; }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("evaluations.jsonl");
};

TEST_F(ScoreLogTest, GoesOnBehindTheStepsDone) {
  set("{\"step\":10,\"exact_match\":1,\"f1\":2.5}\n{\"step\":20,\"exact_match\":1,\"f1\":7}\n"
      "{\"step\":30,\"exact_match\":1,\"f1\":9}\n");
  ScoreLog log(path_, 20, kF1);
  EXPECT_EQ(log.best_step(), 20);
  log.write(40, {.values = {{"exact_match", 1.0}, {"questions", 7}, {"f1", 8.0}}, .logged = {"exact_match", "f1"}});
  EXPECT_EQ(log.best_step(), 40);
  EXPECT_EQ(io::read_file("test", path_),
            "{\"step\":10,\"exact_match\":1,\"f1\":2.5}\n{\"step\":20,\"exact_match\":1,\"f1\":7}\n"
            "{\"step\":40,\"exact_match\":1.0,\"f1\":8.0}\n");
}

TEST_F(ScoreLogTest, LessCanBeBetter) {
  set("{\"step\":10,\"loss\":3}\n{\"step\":20,\"loss\":2}\n{\"step\":30,\"loss\":2.5}\n");
  ScoreLog log(path_, 30, {.name = "loss", .more_is_better = false});
  EXPECT_EQ(log.best_step(), 20);
  log.write(40, {.values = {{"loss", 2.0}}, .logged = {"loss"}});
  EXPECT_EQ(log.best_step(), 20);  // the first of equals
  log.write(50, {.values = {{"loss", 1.5}}, .logged = {"loss"}});
  EXPECT_EQ(log.best_step(), 50);
}

TEST_F(ScoreLogTest, EndsWithTheFirstLineThatIsNone) {
  const std::string good = "{\"step\":10,\"exact_match\":1,\"f1\":2.5}\n", better = "{\"step\":11,\"f1\":99}\n";
  for (const std::string bad : {"", "text", "3", "[1]", "{\"step\":\"x\",\"f1\":1}", "{\"step\":10}",
                                "{\"step\":10,\"f1\":null}", "{\"step\":[],\"f1\":{}}"}) {
    set(good + bad + "\n" + better);
    EXPECT_EQ(ScoreLog(path_, 20, kF1).best_step(), 10) << bad;
  }
  set(good + std::string(1 << 20, '[') + std::string(1 << 20, ']') + "\n" + better);
  EXPECT_EQ(ScoreLog(path_, 20, kF1).best_step(), 10);
}

}  // namespace
}  // namespace phasor::run
