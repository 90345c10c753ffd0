// A group whose member fails: the others are told and do not wait for ever.
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "tests/engine/collective/group.h"

namespace phasor::test {
namespace {

// Each operation, as a member that the others have left alone would call it.
using Operation = void (*)(Communicator&);
constexpr Operation kOperations[] = {
    [](Communicator& member) { member.barrier(); },
    [](Communicator& member) {
      std::vector<float> values(5);
      member.all_reduce(values);
    },
    [](Communicator& member) {
      std::vector<float> full(5 * static_cast<std::size_t>(member.size())), shard(5);
      member.reduce_scatter(full, shard);
    },
    [](Communicator& member) {
      std::vector<std::byte> shard(5), full(5 * static_cast<std::size_t>(member.size()));
      member.all_gather(shard, full);
    },
    [](Communicator& member) {
      std::vector<std::byte> values(5);
      member.broadcast(values, 0);
    },
};

TEST(Abandon, WakesThoseWhoWait) {
  for (Operation operation : kOperations) {
    constexpr int kMembers = 4;
    ThreadGroup group(kMembers);
    std::atomic<int> told = 0;
    run_members(group, kMembers, [&](Communicator& member, int rank) {
      if (rank == 2) {
        // Mostly after the others have begun to wait; if not, they find out at once.
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        group.abandon();
        return;
      }
      EXPECT_THROW(operation(member), InternalError);
      ++told;
    });
    EXPECT_EQ(told, kMembers - 1);
  }
}

TEST(Abandon, LaterOperationsThrow) {
  for (Operation operation : kOperations) {
    ThreadGroup group(2);
    group.abandon();
    EXPECT_THROW(operation(group.member(0)), InternalError);
    EXPECT_THROW(operation(group.member(1)), InternalError);
  }
}

}  // namespace
}  // namespace phasor::test
