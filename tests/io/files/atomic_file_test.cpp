#include "io/files/atomic_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/files/text_file.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

using test::message_of;

class AtomicFile : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    write_atomically(path, [&](const std::string& temporary) { std::ofstream(temporary) << text; });
  }
  std::string read(const std::string& path) { return read_file("test", path); }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename());
    }
    std::ranges::sort(names);
    return names;
  }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("a.txt");
};

TEST_F(AtomicFile, ReplacesTheOldOrLeavesIt) {
  write(path_, "old");
  const std::string message = message_of([&] {
    write_atomically(path_, [&](const std::string& temporary) {
      std::ofstream(temporary) << "half";
      EXPECT_EQ(read(path_), "old");
      check(false, "no more");
    });
  });
  EXPECT_EQ(message, "no more");
  EXPECT_EQ(read(path_), "old");
  write(path_, "new");
  EXPECT_EQ(read(path_), "new");
  EXPECT_EQ(names(), std::vector<std::string>{"a.txt"});
}

TEST_F(AtomicFile, WhereNothingCanBeWritten) {
  const std::string path = folder_.path() + "/missing/a.txt";
  EXPECT_NE(message_of([&] { write(path, "text"); }).find(path), std::string::npos);
}

TEST_F(AtomicFile, ASecondNameFollowsTheFileItIsGivenTo) {
  write(folder_.file("1"), "one");
  write(folder_.file("2"), "two");
  for (const char* name : {"1", "2", "2", "1"}) {
    name_atomically(folder_.file(name), path_);
    EXPECT_EQ(read(path_), read(folder_.file(name)));
  }
  EXPECT_EQ(names(), (std::vector<std::string>{"1", "2", "a.txt"}));
  std::filesystem::remove(folder_.file("1"));
  EXPECT_EQ(read(path_), "one");
  EXPECT_NE(message_of([&] { name_atomically(folder_.file("3"), path_); }), "no error");
  EXPECT_EQ(read(path_), "one");
}

TEST_F(AtomicFile, RemovesWhatTheKilledLeftAndNothingElse) {
  const pid_t killed = fork();
  if (killed == 0) _exit(0);
  waitpid(killed, nullptr, 0);
  const std::string dead = fmt::format(".{}.tmp", killed), alive = fmt::format(".{}.tmp", getppid());
  for (const std::string& name : {"a.txt" + dead, "a-0007.txt" + dead, "a.txt" + alive, "b.txt" + dead,
                                  std::string("a.txt.tmp"), std::string("a.x1.tmp"), std::string("a.txt")}) {
    std::ofstream(folder_.file(name)) << "text";
  }
  remove_abandoned(path_);
  std::vector<std::string> expected = {"a.txt", "a.txt" + alive, "a.txt.tmp", "a.x1.tmp", "b.txt" + dead};
  std::ranges::sort(expected);
  EXPECT_EQ(names(), expected);
}

}  // namespace
}  // namespace phasor::io
