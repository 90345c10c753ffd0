// Teams of OpenMP, which builds with sanitizers do without.
#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <thread>

#include "engine/base/parallel.h"
#include "engine/program/execute/replicas.h"

namespace phasor::test {
namespace {

std::ptrdiff_t threads_of_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

// A thread that has ended is listed for a moment more.
bool there_are_soon_at_most(std::ptrdiff_t count) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    if (threads_of_process() <= count) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

// Makes a team of `count` run.
void use_team(int count) {
  set_threads(count);
  parallel_for(count, [](std::int64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
}

class Teams : public testing::Test {
 protected:
  void SetUp() override {
    dismiss_team();
    others_ = threads_of_process();
  }
  void TearDown() override { set_threads(1); }

  std::ptrdiff_t others_ = 0;
};

TEST_F(Teams, EndWhenTheyAreDismissedAndComeBack) {
  for (const int count : {4, 3}) {
    use_team(count);
    EXPECT_EQ(threads_of_process(), others_ + count - 1);
    dismiss_team();
    EXPECT_TRUE(there_are_soon_at_most(others_));
  }
}

TEST_F(Teams, OfTheHostEndBeforeReplicasRun) {
  use_team(4);
  Replicas replicas(2, 2);
  replicas.run([&](int) { use_team(2); });
  EXPECT_TRUE(there_are_soon_at_most(others_ + 2 * 2));
}

}  // namespace
}  // namespace phasor::test
