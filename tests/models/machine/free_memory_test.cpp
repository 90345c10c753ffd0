// The least of what the machine and the control groups have, from files as the kernel writes them.
#include "models/machine/free_memory.h"

#include <fstream>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace phasor::run {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;

class FreeMemoryOf : public ::testing::Test {
 protected:
  FreeMemoryOf() { write("proc/meminfo", "MemTotal:       24000000 kB\nMemFree: 1 kB\nMemAvailable:   1024000 kB\n"); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root_.file(path)).parent_path());
    std::ofstream(root_.file(path)) << text;
  }
  // A group of version 2, with its usage and what of that are pages that could be dropped.
  void write_group(const std::string& group, const std::string& limit, std::int64_t used,
                   std::int64_t droppable) const {
    const std::string folder = "sys/fs/cgroup" + group;
    write(folder + "/memory.max", limit + "\n");
    write(folder + "/memory.current", std::to_string(used) + "\n");
    write(folder + "/memory.stat", "anon 5\ninactive_file " + std::to_string(droppable) + "\nactive_file 7\n");
  }
  FreeMemory free() const { return free_memory(root_.path()).value_or(FreeMemory{-1, "nothing"}); }

  phasor::test::TemporaryFolder root_;
};

TEST_F(FreeMemoryOf, TheMachine) {
  EXPECT_EQ(free().bytes, 1000 * kMebibyte);
  EXPECT_EQ(free().limit, "the machine");
}

TEST_F(FreeMemoryOf, AGroupOfVersionTwo) {
  write("proc/self/cgroup", "0::/user/job\n");
  write_group("/user/job", std::to_string(300 * kMebibyte), 120 * kMebibyte, 20 * kMebibyte);
  EXPECT_EQ(free().bytes, 200 * kMebibyte);
  EXPECT_EQ(free().limit, "control group /user/job");
}

TEST_F(FreeMemoryOf, EveryGroupAbove) {
  write("proc/self/cgroup", "0::/user/job\n");
  write_group("/user/job", "max", 120 * kMebibyte, 0);
  write_group("/user", std::to_string(500 * kMebibyte), 450 * kMebibyte, 0);
  write_group("", std::to_string(400 * kMebibyte), 300 * kMebibyte, 0);
  EXPECT_EQ(free().bytes, 50 * kMebibyte);
  EXPECT_EQ(free().limit, "control group /user");
}

// A container sees its own group at the root, under a path that is the host's.
TEST_F(FreeMemoryOf, AContainerThatDoesNotSeeItsPath) {
  write("proc/self/cgroup", "0::/kubepods/pod7\n");
  write_group("", std::to_string(400 * kMebibyte), 300 * kMebibyte, 0);
  EXPECT_EQ(free().bytes, 100 * kMebibyte);
}

TEST_F(FreeMemoryOf, AGroupOfVersionOne) {
  write("proc/self/cgroup", "9:cpu,cpuacct:/\n4:memory:/docker/5\n0::/\n");
  write("sys/fs/cgroup/memory/docker/5/memory.limit_in_bytes", std::to_string(64 * kMebibyte));
  write("sys/fs/cgroup/memory/docker/5/memory.usage_in_bytes", std::to_string(60 * kMebibyte));
  write("sys/fs/cgroup/memory/docker/5/memory.stat", "inactive_file 1\ntotal_inactive_file 10485760\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");  // none
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", std::to_string(60 * kMebibyte));
  EXPECT_EQ(free().bytes, 14 * kMebibyte);
}

TEST_F(FreeMemoryOf, AGroupBeyondItsLimitIsNothing) {
  write("proc/self/cgroup", "0::/\n");
  write_group("", std::to_string(1 * kMebibyte), 2 * kMebibyte, 0);
  EXPECT_EQ(free().bytes, 0);
}

TEST(FreeMemory, WhereNobodyTells) {
  const phasor::test::TemporaryFolder empty;
  EXPECT_FALSE(free_memory(empty.path()).has_value());
}

TEST(FreeMemory, OfADiskIsThatOfTheNearestFolder) {
  const phasor::test::TemporaryFolder folder;
  ASSERT_TRUE(free_disk(folder.path()).has_value());
  EXPECT_GT(*free_disk(folder.path() + "/not/yet/there"), 0);
  EXPECT_EQ(existing_folder(folder.path() + "/not/yet"), std::filesystem::path(folder.path()));
}

}  // namespace
}  // namespace phasor::run
