// What every operation gives, on groups of threads of one and more members.
#include "engine/collective/communicator.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>

#include "engine/base/parallel.h"
#include "tests/engine/collective/group.h"
#include "tests/engine/collective/plain_sum.h"

namespace phasor::test {
namespace {

// Nothing, one element, a prime, and more than one block of the tree sum.
constexpr std::size_t kSizes[] = {0, 1, 37, 1024, 2500};

// Member r's operand. The magnitudes differ so much that another order of summation gives other bits.
Floats operand(int rank, std::size_t count) { return spread(100 + static_cast<std::uint64_t>(rank), count); }

// The sum over members as tree_sum.h defines it.
Floats sum_over_members(int members, std::size_t count) {
  std::vector<Floats> operands;
  for (int r = 0; r < members; ++r) operands.push_back(operand(r, count));
  return sum_of(operands);
}

template <class T>
auto part_of(T& whole, int rank, std::size_t count) {
  return std::span(whole).subspan(static_cast<std::size_t>(rank) * count, count);
}

class Collective : public ::testing::TestWithParam<int> {
 protected:
  int members() const { return GetParam(); }
};

TEST_P(Collective, MembersKnowTheirPlace) {
  run_group(members(), [&](Communicator& member, int rank) {
    EXPECT_EQ(member.rank(), rank);
    EXPECT_EQ(member.size(), members());
  });
}

TEST_P(Collective, AllGather) {
  for (std::size_t count : kSizes) {
    Floats expected;
    for (int r = 0; r < members(); ++r) expected = joined({expected, operand(r, count)});
    run_group(members(), [&](Communicator& member, int rank) {
      const Floats shard = operand(rank, count);
      Floats full(expected.size(), NAN);
      member.all_gather(std::as_bytes(std::span(shard)), std::as_writable_bytes(std::span(full)));
      EXPECT_TRUE(same_bits(full, expected)) << count;
      // In place: the shard lies where it belongs.
      std::ranges::fill(full, NAN);
      std::ranges::copy(shard, part_of(full, rank, count).begin());
      member.all_gather(std::as_bytes(part_of(full, rank, count)), std::as_writable_bytes(std::span(full)));
      EXPECT_TRUE(same_bits(full, expected)) << count;
    });
  }
}

TEST_P(Collective, ReduceScatterFollowsTheTree) {
  for (std::size_t count : kSizes) {
    const std::size_t whole = count * static_cast<std::size_t>(members());
    const Floats expected = sum_over_members(members(), whole);
    run_group(members(), [&](Communicator& member, int rank) {
      const Floats full = operand(rank, whole);
      Floats shard(count, NAN), before = full;
      member.reduce_scatter(full, shard);
      EXPECT_TRUE(same_bits(shard, part_of(expected, rank, count))) << count;
      EXPECT_TRUE(same_bits(full, before)) << count;
    });
  }
}

TEST_P(Collective, AllReduceFollowsTheTree) {
  for (std::size_t count : kSizes) {
    const Floats expected = sum_over_members(members(), count);
    run_group(members(), [&](Communicator& member, int rank) {
      Floats values = operand(rank, count);
      member.all_reduce(values);
      EXPECT_TRUE(same_bits(values, expected)) << count;
    });
  }
}

TEST_P(Collective, Broadcast) {
  for (int root = 0; root < members(); ++root) {
    run_group(members(), [&](Communicator& member, int rank) {
      Floats values = operand(rank, 37);
      member.broadcast(std::as_writable_bytes(std::span(values)), root);
      EXPECT_TRUE(same_bits(values, operand(root, 37)));
    });
  }
}

TEST_P(Collective, NobodyPassesABarrierBeforeAllHaveCome) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> arrived = 0;
    run_group(members(), [&](Communicator& member, int) {
      ++arrived;
      member.barrier();
      EXPECT_GE(arrived, members());
    });
  }
}

// Operations one behind the other do not mix, however unlike the members' pace is.
TEST_P(Collective, ManyInARow) {
  const Floats expected = sum_over_members(members(), 37);
  run_group(members(), [&](Communicator& member, int rank) {
    for (int round = 0; round < 200; ++round) {
      if (round % members() == rank) std::this_thread::yield();
      Floats values = operand(rank, 37);
      member.all_reduce(values);
      ASSERT_TRUE(same_bits(values, expected)) << round;
    }
  });
}

TEST_P(Collective, SumsDoNotDependOnTheTeam) {
  const Floats expected = sum_over_members(members(), 5000);
  run_group(members(), [&](Communicator& member, int rank) {
    set_threads(3);
    Floats values = operand(rank, 5000);
    member.all_reduce(values);
    EXPECT_TRUE(same_bits(values, expected));
  });
}

INSTANTIATE_TEST_SUITE_P(Members, Collective, ::testing::Values(1, 2, 3, 4, 7));

}  // namespace
}  // namespace phasor::test
