// What has a name on the disk is on the disk: the order of the calls by which files appear, watched from in between.
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include "io/files/atomic_file.h"
#include "tests/support/temporary_folder.h"

namespace {

std::vector<std::string>* calls = nullptr;  // of this process, while somebody watches

void note(const std::string& what, const std::filesystem::path& path) {
  // A temporary name counts as that of what it is for: "a.txt.123.tmp".
  const std::string name = path.filename();
  if (calls != nullptr)
    calls->push_back(fmt::format("{} {}", what, name.substr(0, name.find(fmt::format(".{}", getpid())))));
}

}  // namespace

// In the place of the library's, which do the same.
extern "C" int fsync(int descriptor) {
  std::error_code error;
  note("sync", std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", descriptor), error));
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}
extern "C" int rename(const char* from, const char* to) noexcept {
  note("rename", to);
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

namespace phasor::io {
namespace {

class DiskOrder : public ::testing::Test {
 protected:
  DiskOrder() { std::filesystem::create_directory(directory_); }

  template <class Action>
  std::vector<std::string> calls_of(Action action) {
    std::vector<std::string> seen;
    calls = &seen;
    action();
    calls = nullptr;
    return seen;
  }

  test::TemporaryFolder folder_;
  std::string directory_ = folder_.file("directory");
};

using Calls = std::vector<std::string>;

TEST_F(DiskOrder, AFileIsOnTheDiskBeforeItHasItsName) {
  const auto write = [](const std::string& temporary) { std::ofstream(temporary) << "text"; };
  EXPECT_EQ(calls_of([&] { write_atomically(directory_ + "/a.txt", write); }),
            (Calls{"sync a.txt", "rename a.txt", "sync directory"}));
}

TEST_F(DiskOrder, ANameIsOnTheDiskWhenItIsThere) {
  std::ofstream(directory_ + "/a.txt") << "text";
  EXPECT_EQ(calls_of([&] { name_atomically(directory_ + "/a.txt", directory_ + "/b.txt"); }),
            (Calls{"rename b.txt", "sync directory"}));
}

}  // namespace
}  // namespace phasor::io
