// Teams of OpenMP, which builds with sanitizers do without.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <thread>

#include "engine/base/parallel.h"
#include "engine/program/execute/replicas.h"

namespace phasor::test {
namespace {

using ThreadNames = std::set<std::string>;

ThreadNames threads_of_process() {
  ThreadNames names;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    names.insert(task.path().filename().string());
  return names;
}

// The threads that a loop of `count` pieces on as many threads adds.
ThreadNames added_by_team(int count) {
  const ThreadNames before = threads_of_process();
  set_threads(count);
  parallel_for(count, [](std::int64_t) {});
  ThreadNames added = threads_of_process();
  std::erase_if(added, [&](const std::string& name) { return before.contains(name); });
  return added;
}

// A thread that has ended is listed for a moment more.
bool end_soon(const ThreadNames& threads) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const ThreadNames all = threads_of_process();
    if (std::ranges::none_of(threads, [&](const std::string& name) { return all.contains(name); })) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

class Teams : public testing::Test {
 protected:
  void SetUp() override { dismiss_team(); }
  void TearDown() override {
    dismiss_team();
    set_threads(1);
  }
};

TEST_F(Teams, EndWhenTheyAreDismissedAndComeBack) {
  for (const int count : {4, 3}) {
    const ThreadNames team = added_by_team(count);
    EXPECT_EQ(team.size(), count - 1);
    dismiss_team();
    EXPECT_TRUE(end_soon(team));
  }
}

TEST_F(Teams, OfTheHostEndBeforeReplicasRun) {
  const ThreadNames of_host = added_by_team(4);
  bool have_ended = false;
  Replicas replicas(2, 2);
  replicas.run([&](int worker) {
    if (worker == 0) have_ended = end_soon(of_host);
  });
  EXPECT_TRUE(have_ended);
}

}  // namespace
}  // namespace phasor::test
