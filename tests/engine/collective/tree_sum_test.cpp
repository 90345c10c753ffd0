#include "engine/collective/tree_sum.h"

#include <gtest/gtest.h>

#include "tests/engine/collective/plain_sum.h"

namespace phasor::test {
namespace {

std::vector<Subtree> subtrees(const std::vector<Floats>& sums, int leaves = 1) {
  std::vector<Subtree> result;
  for (const Floats& sum : sums) result.push_back({sum.data(), leaves});
  return result;
}

TEST(TreeSum, LeftHalvesArePowersOfTwo) {
  constexpr int kExpected[] = {1, 2, 2, 4, 4, 4, 4, 8};
  for (int count = 2; count <= 9; ++count) EXPECT_EQ(left_leaves(count), kExpected[count - 2]) << count;
}

// ((a + b) + (c + d)) + e
TEST(TreeSum, OfFive) {
  const std::vector<Floats> leaves = make_leaves(5, kTreeSumBlock);
  Floats sum(kTreeSumBlock);
  tree_sum(subtrees(leaves), 0, sum);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    EXPECT_EQ(sum[i], ((leaves[0][i] + leaves[1][i]) + (leaves[2][i] + leaves[3][i])) + leaves[4][i]);
  }
}

// How replicas and micro-batches share a batch does not show: sums of sums over equal powers of two are one tree.
TEST(TreeSum, TreesOfTreesAreOneTree) {
  const std::vector<Floats> leaves = make_leaves(8, 100);
  const std::vector<Subtree> all = subtrees(leaves);
  Floats whole(100);
  tree_sum(all, 0, whole);
  for (std::size_t group : {1u, 2u, 4u, 8u}) {
    std::vector<Floats> sums;
    for (std::size_t first = 0; first < leaves.size(); first += group) {
      sums.emplace_back(100);
      tree_sum(std::span(all).subspan(first, group), 0, sums.back());
    }
    Floats sum(100);
    tree_sum(subtrees(sums), 0, sum);
    EXPECT_TRUE(same_bits(sum, whole)) << group;
  }
}

TEST(TreeSum, TheResultMayTakeALeafsPlace) {
  for (int in_place = 0; in_place < 3; ++in_place) {
    std::vector<Floats> leaves = make_leaves(3, 50);
    Floats expected(30);
    tree_sum(subtrees(leaves), 20, expected);
    tree_sum(subtrees(leaves), 20, std::span(leaves[in_place]).subspan(20, 30));
    EXPECT_TRUE(same_bits(std::span(leaves[in_place]).subspan(20, 30), expected));
  }
}

// So replicas of equal numbers of leaves may have some too many.
TEST(TreeSum, ZerosBehindTheLastLeafChangeNothing) {
  constexpr int kMost = 24;
  for (int count = 1; count <= kMost; ++count) {
    std::vector<Floats> leaves = make_leaves(count, 3);
    Floats expected(3), sum(3);
    tree_sum(subtrees(leaves), 0, expected);
    while (std::ssize(leaves) <= 2 * kMost) {
      leaves.emplace_back(3, 0.0f);
      tree_sum(subtrees(leaves), 0, sum);
      EXPECT_TRUE(same_bits(sum, expected)) << count << " of " << leaves.size();
    }
  }
}

}  // namespace
}  // namespace phasor::test
