#include "io/files/line_log.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "io/files/text_file.h"
#include "tests/support/full_disk.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

using Lines = std::vector<std::string>;

class LineLogTest : public ::testing::Test {
 protected:
  std::string text() const { return read_file("test", path_); }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("log.jsonl");
};

TEST_F(LineLogTest, EveryLineIsThereAtOnce) {
  LineLog log(path_, {});
  EXPECT_EQ(text(), "");
  log.write("one");
  EXPECT_EQ(text(), "one\n");
  log.write("two");
  log.bring_to_disk();
  EXPECT_EQ(text(), "one\ntwo\n");
}

// At every instant the file has the lines that stay: a second name of the old file shows that it was not touched.
TEST_F(LineLogTest, KeptLinesAreNeverGone) {
  std::ofstream(path_) << "one\ntwo\nthr";
  std::filesystem::create_hard_link(path_, folder_.file("old"));
  LineLog log(path_, Lines{"one", "two"});
  EXPECT_EQ(text(), "one\ntwo\n");
  EXPECT_EQ(read_file("test", folder_.file("old")), "one\ntwo\nthr");
  log.write("3");
  EXPECT_EQ(text(), "one\ntwo\n3\n");
}

TEST_F(LineLogTest, AFileThatIsRightStays) {
  std::ofstream(path_) << "one\n";
  std::filesystem::create_hard_link(path_, folder_.file("same"));
  LineLog(path_, Lines{"one"}).write("two");
  EXPECT_EQ(read_file("test", folder_.file("same")), "one\ntwo\n");
}

TEST_F(LineLogTest, RefusesInOneLine) {
  const std::string path = folder_.file("nowhere/log.jsonl");
  EXPECT_TRUE(test::message_of([&] { LineLog(path, {}); }).starts_with("file: '"));
  LineLog log(path_, {});
  const test::FullDisk disk(2);
  EXPECT_EQ(test::message_of([&] { log.write("one"); }), "log: '" + path_ + "' cannot be written: File too large");
}

}  // namespace
}  // namespace phasor::io
