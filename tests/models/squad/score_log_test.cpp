#include "models/squad/score_log.h"

#include <fstream>
#include <gtest/gtest.h>

#include "io/files/text_file.h"
#include "tests/support/temporary_folder.h"

namespace phasor::run {
namespace {

class ScoreLogTest : public ::testing::Test {
 protected:
  void set(const std::string& text) const { std::ofstream(path_) << text; }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("evaluations.jsonl");
};

TEST_F(ScoreLogTest, GoesOnBehindTheStepsDone) {
  set("{\"step\":10,\"exact_match\":1,\"f1\":2.5}\n{\"step\":20,\"exact_match\":1,\"f1\":7}\n"
      "{\"step\":30,\"exact_match\":1,\"f1\":9}\n");
  ScoreLog log(path_, 20);
  EXPECT_EQ(log.best_step(), 20);
  log.write(40, {.exact_match = 1, .f1 = 8});
  EXPECT_EQ(log.best_step(), 40);
  EXPECT_EQ(io::read_file("test", path_),
            "{\"step\":10,\"exact_match\":1,\"f1\":2.5}\n{\"step\":20,\"exact_match\":1,\"f1\":7}\n"
            "{\"step\":40,\"exact_match\":1.0,\"f1\":8.0}\n");
}

TEST_F(ScoreLogTest, EndsWithTheFirstLineThatIsNone) {
  const std::string good = "{\"step\":10,\"exact_match\":1,\"f1\":2.5}\n", better = "{\"step\":11,\"f1\":99}\n";
  for (const std::string bad : {"", "text", "3", "[1]", "{\"step\":\"x\",\"f1\":1}", "{\"step\":10}",
                                "{\"step\":10,\"f1\":null}", "{\"step\":[],\"f1\":{}}"}) {
    set(good + bad + "\n" + better);
    EXPECT_EQ(ScoreLog(path_, 20).best_step(), 10) << bad;
  }
  set(good + std::string(1 << 20, '[') + std::string(1 << 20, ']') + "\n" + better);
  EXPECT_EQ(ScoreLog(path_, 20).best_step(), 10);
}

}  // namespace
}  // namespace phasor::run
