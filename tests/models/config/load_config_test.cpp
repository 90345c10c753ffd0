// What is given in the place of a configuration, and is none.
#include "models/config/load_config.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::run {
namespace {

class LoadConfig : public testing::Test {
 protected:
  std::string error(const std::string& content, std::uintmax_t bytes) {
    std::ofstream(path_, std::ios::binary) << content;
    std::filesystem::resize_file(path_, bytes);
    return test::message_of([&] { load_config(path_, {}); });
  }

  test::TemporaryFolder folder_;
  const std::string path_ = folder_.file("given");
};

TEST_F(LoadConfig, RefusesACheckpointBeforeItIsRead) {
  const std::string expected =
      "config: '" + path_ + "' is a checkpoint, expected a configuration. Give it as --checkpoint.load";
  EXPECT_EQ(error("\x89HDF\r\n\x1a\n", 8), expected);
  EXPECT_EQ(error("\x89HDF\r\n\x1a\n", std::uintmax_t{1} << 33), expected);
}

TEST_F(LoadConfig, RefusesWhatIsTooLargeBeforeItIsRead) {
  EXPECT_EQ(error("model: {}\n", std::uintmax_t{1} << 33),
            "config: '" + path_ + "' has 8589934592 bytes, expected a configuration of 1048576 at most");
  EXPECT_EQ(error("# a comment that goes on" + std::string(1 << 20, ' '), 1 << 20), "no error");
}

}  // namespace
}  // namespace phasor::run
