#include "io/process/child_process.h"

#include <gtest/gtest.h>
#include <numeric>
#include <unistd.h>

#include "io/files/scratch_folder.h"
#include "io/files/text_file.h"
#include "tests/support/message.h"

namespace phasor::io {
namespace child_processes {
namespace {

class ChildProcesses : public ::testing::Test {
 protected:
  ScratchFolder folder_;
  std::string errors_ = folder_.path() + "/errors";
};

TEST_F(ChildProcesses, AnswerWhatTheyAreTold) {
  ChildProcess child({"cat"}, errors_);
  std::vector<std::uint64_t> numbers(1 << 12), back(numbers.size());  // less than a socket holds
  std::iota(numbers.begin(), numbers.end(), 1);
  std::string line;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(child.write_line("a line"));
    ASSERT_TRUE(child.write(std::as_bytes(std::span(numbers))));
    ASSERT_TRUE(child.read_line(line));
    EXPECT_EQ(line, "a line");
    ASSERT_TRUE(child.read(std::as_writable_bytes(std::span(back))));
    EXPECT_EQ(back, numbers);
  }
}

TEST_F(ChildProcesses, WhatTheySayOfMistakesIsInAFile) {
  ChildProcess child({"sh", "-c", "echo this went wrong >&2; echo last; exit 3"}, errors_);
  std::string line;
  ASSERT_TRUE(child.read_line(line));
  EXPECT_EQ(line, "last");
  EXPECT_FALSE(child.read_line(line));
  EXPECT_EQ(read_file("test", errors_), "this went wrong\n");
}

TEST_F(ChildProcesses, OneThatHasEndedTakesNothing) {
  ChildProcess child({"true"}, errors_);
  std::string line;
  EXPECT_FALSE(child.read_line(line));
  EXPECT_FALSE(child.write_line(line));
}

TEST_F(ChildProcesses, OneThatWaitsForeverIsEnded) {
  const ChildProcess child({"sh", "-c", "while true; do sleep 60; done"}, errors_);
}

TEST_F(ChildProcesses, OneThatCannotBeRunIsAMistake) {
  EXPECT_EQ(test::message_of([&] { const ChildProcess child({"/nowhere/python"}, errors_); }),
            "'/nowhere/python' cannot be run: No such file or directory");
}

TEST_F(ChildProcesses, ScratchFoldersGo) {
  std::string path;
  {
    const ScratchFolder other;
    path = other.path();
    EXPECT_NE(path, folder_.path());
    EXPECT_EQ(access(path.c_str(), W_OK), 0);
  }
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

}  // namespace
}  // namespace child_processes
}  // namespace phasor::io
