// However many replicas share the leaves of a tree, its sum has the same bits.
#include "engine/collective/partial_sums.h"

#include <bit>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/base/parallel.h"
#include "tests/engine/collective/group.h"
#include "tests/engine/collective/plain_sum.h"

namespace phasor::test {
namespace {

constexpr int kMostReplicas = 6, kMostLeaves = 24;

// Of one replica's run of the leaves, in memory whose unused rest is not a number.
Floats partial_sums_of(const std::vector<Floats>& all, int replicas, int rank) {
  const int leaves = static_cast<int>(all.size()) / replicas;
  Floats partials(static_cast<std::size_t>(most_partial_sums(replicas, leaves)) * all[0].size(), NAN);
  const LeafRun run = LeafRun::of(rank, leaves);
  for (int leaf = run.first; leaf < run.end; ++leaf) add_leaf(partials, {run.first, leaf}, all[leaf]);
  return partials;
}

// For every split of 1 to 24 leaves, and of as many a replica: the sum in parts and whole.
TEST(PartialSums, SumToTheTree) {
  for (int replicas = 1; replicas <= kMostReplicas; ++replicas) {
    for (int leaves = 1; leaves <= kMostLeaves; ++leaves) {
      const std::size_t part = 3, whole = part * static_cast<std::size_t>(replicas);
      const std::vector<Floats> all = make_leaves(replicas * leaves, whole);
      const Floats expected = sum_of(all);
      run_group(replicas, [&](Communicator& member, int rank) {
        const Floats partials = partial_sums_of(all, replicas, rank), before = partials;
        Floats shard(part, NAN), sum(whole, NAN);
        member.reduce_scatter_partials(partials, leaves, shard);
        member.all_reduce_partials(partials, leaves, sum);
        const auto expected_shard = std::span(expected).subspan(part * static_cast<std::size_t>(rank), part);
        EXPECT_TRUE(same_bits(shard, expected_shard)) << replicas << " x " << leaves;
        EXPECT_TRUE(same_bits(sum, expected)) << replicas << " x " << leaves;
        EXPECT_TRUE(same_bits(partials, before));
      });
    }
  }
}

TEST(PartialSums, DoNotDependOnTheTeam) {
  const std::vector<Floats> all = make_leaves(2 * 7, 2 * kTreeSumBlock + 5);
  const Floats expected = sum_of(all);
  run_group(2, [&](Communicator& member, int rank) {
    set_threads(3);
    Floats sum(expected.size());
    member.all_reduce_partials(partial_sums_of(all, 2, rank), 7, sum);
    EXPECT_TRUE(same_bits(sum, expected));
  });
}

std::vector<int> sizes_of(LeafRun run) {
  std::vector<int> sizes;
  while (run.first < run.end) {
    sizes.push_back(run.first_subtree());
    run.first += sizes.back();
  }
  return sizes;
}

TEST(PartialSums, AreOfTheLargestSubtrees) {
  EXPECT_EQ(sizes_of({0, 12}), (std::vector{8, 4}));
  EXPECT_EQ(sizes_of({3, 6}), (std::vector{1, 2}));
  EXPECT_EQ(sizes_of({7, 14}), (std::vector{1, 4, 2}));
  EXPECT_EQ(sizes_of({1, 15}), (std::vector{1, 2, 4, 4, 2, 1}));
  EXPECT_EQ(sizes_of({5, 5}), std::vector<int>{});
}

// Room for all that there ever are, of as many leaves or fewer, and no more: two for every doubling at most.
TEST(PartialSums, AreFew) {
  for (int replicas = 1; replicas <= kMostReplicas; ++replicas) {
    int most = 0;
    for (int leaves = 1; leaves <= 10 * kMostLeaves; ++leaves) {
      for (int rank = 0; rank < replicas; ++rank) {
        const LeafRun all = LeafRun::of(rank, leaves);
        for (int end = all.first; end <= all.end; ++end) most = std::max(most, LeafRun{all.first, end}.subtrees());
      }
      EXPECT_EQ(most_partial_sums(replicas, leaves), most) << replicas << " x " << leaves;
      EXPECT_LE(most, 2 * (std::bit_width(static_cast<unsigned>(leaves)) - 1) + (leaves == 1 ? 1 : 0));
    }
  }
  EXPECT_EQ(most_partial_sums(2, 1), 1);
  EXPECT_EQ(most_partial_sums(2, 3), 2);
  EXPECT_EQ(most_partial_sums(4, 7), 4);
  EXPECT_EQ(most_partial_sums(6, 15), 5);
}

}  // namespace
}  // namespace phasor::test
