#include "io/files/lock_file.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

class LockFileTest : public ::testing::Test {
 protected:
  std::string refusal() const {
    return test::message_of([&] { LockFile(path_, "the run"); });
  }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.file(".lock");
};

TEST_F(LockFileTest, IsOneHoldersAtATime) {
  auto lock = std::make_unique<LockFile>(path_, "the run");
  EXPECT_EQ(refusal(),
            fmt::format("the run is in use by process {}. Wait for its end, or choose another place", getpid()));
  lock.reset();
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_EQ(refusal(), "no error");
}

TEST_F(LockFileTest, GoesWithAProcessThatIsKilled) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const LockFile lock(path_, "the run");
    [[maybe_unused]] const auto told = write(ready[1], "x", 1);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_NE(refusal().find(fmt::format("process {}", child)), std::string::npos) << refusal();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(path_));
  EXPECT_EQ(refusal(), "no error");
  EXPECT_FALSE(std::filesystem::exists(path_));
  close(ready[0]);
  close(ready[1]);
}

TEST_F(LockFileTest, RefusesAPlaceThatCannotBeWritten) {
  path_ = folder_.file("nowhere/.lock");
  EXPECT_EQ(refusal(), "the run cannot be claimed: '" + path_ + "': No such file or directory");
}

}  // namespace
}  // namespace phasor::io
