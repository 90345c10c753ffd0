#include "engine/base/parallel.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace phasor {
namespace {

class Parallel : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_threads(GetParam()); }
  void TearDown() override { set_threads(1); }
};

TEST_P(Parallel, RunsEveryPieceOnce) {
  for (std::int64_t count : {0, 1, 2, 7, 1000}) {
    std::vector<int> runs(static_cast<std::size_t>(count));
    parallel_for(count, [&](std::int64_t i) { ++runs[static_cast<std::size_t>(i)]; });
    EXPECT_EQ(runs, std::vector<int>(static_cast<std::size_t>(count), 1));
  }
}

// A worker runs one piece at a time: its own counter needs no lock.
TEST_P(Parallel, WorkersAreNumberedBelowTheTeamsSize) {
  std::vector<int> pieces(static_cast<std::size_t>(threads()));
  parallel_for(500, [&](std::int64_t, int worker) { ++pieces.at(static_cast<std::size_t>(worker)); });
  int sum = 0;
  for (int count : pieces) sum += count;
  EXPECT_EQ(sum, 500);
}

TEST_P(Parallel, RangesCoverWithoutOverlap) {
  for (std::int64_t count : {0, 1, 15, 16, 17, 100}) {
    std::vector<int> runs(static_cast<std::size_t>(count));
    parallel_for_ranges(count, 16, [&](std::int64_t begin, std::int64_t end) {
      EXPECT_EQ(begin % 16, 0);
      EXPECT_TRUE(end - begin == 16 || end == count);
      for (std::int64_t i = begin; i < end; ++i) ++runs[static_cast<std::size_t>(i)];
    });
    EXPECT_EQ(runs, std::vector<int>(static_cast<std::size_t>(count), 1));
  }
}

INSTANTIATE_TEST_SUITE_P(Teams, Parallel, testing::Values(1, 2, 3, 7));

TEST(Threads, AreACallersOwn) {
  set_threads(3);
  std::thread([] { EXPECT_EQ(threads(), 1); }).join();
  EXPECT_EQ(threads(), 3);
  set_threads(1);
}

}  // namespace
}  // namespace phasor
