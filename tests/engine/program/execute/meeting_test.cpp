#include "engine/program/execute/meeting.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "engine/base/error.h"

namespace phasor::test {
namespace {
namespace meeting_test {

TEST(MeetingTest, NobodyGoesOnBeforeAllHaveCome) {
  constexpr int kMembers = 3, kRounds = 200;
  Meeting meeting(kMembers);
  std::atomic<int> came = 0, early = 0;
  {
    std::vector<std::jthread> members;
    for (int member = 0; member < kMembers; ++member) {
      members.emplace_back([&] {
        for (int round = 1; round <= kRounds; ++round) {
          ++came;
          meeting.wait();
          if (came < round * kMembers) ++early;
        }
      });
    }
  }
  EXPECT_EQ(early, 0);
  EXPECT_EQ(came, kMembers * kRounds);
}

TEST(MeetingTest, NobodyWaitsForOneThatFailed) {
  Meeting meeting(2);
  std::atomic<bool> threw = false;
  {
    const std::jthread member([&] {
      try {
        meeting.wait();
      } catch (const InternalError&) {
        threw = true;
      }
    });
    meeting.abandon();
  }
  EXPECT_TRUE(threw);
  EXPECT_THROW(meeting.wait(), InternalError);
}

}  // namespace meeting_test
}  // namespace
}  // namespace phasor::test
