// The order in which contributions are summed: a binary tree whose left half is the largest power of two below the
// number of leaves. It follows from that number alone, not from who adds which leaf: whatever subtrees replicas sum by
// themselves (partial_sums.h), the sum has the same bits.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace phasor {

// How many leaves of a tree of `count` > 1 leaves its left half has.
constexpr int left_leaves(int count) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(count - 1))); }

// The sum over so many leaves that form a subtree; one leaf is its own sum.
struct Subtree {
  const float* sum = nullptr;
  int leaves = 1;
};

inline constexpr std::int64_t kTreeSumBlock = 1024;

// out[i] = the tree's sum of element offset + i, for up to kTreeSumBlock elements, from subtrees that stand side by
// side and cover the tree. `out` may be one of them at that offset.
inline void tree_sum(std::span<const Subtree> subtrees, std::int64_t offset, std::span<float> out) {
  if (subtrees.size() == 1) {
    const float* sum = subtrees[0].sum + offset;
    if (sum != out.data()) std::copy_n(sum, out.size(), out.begin());
    return;
  }
  int leaves = 0;
  for (const Subtree& subtree : subtrees) leaves += subtree.leaves;
  std::size_t left = 0;  // subtrees of the left half
  for (int rest = left_leaves(leaves); rest > 0; ++left) rest -= subtrees[left].leaves;
  std::array<float, kTreeSumBlock> a, b;
  tree_sum(subtrees.first(left), offset, std::span(a).first(out.size()));
  tree_sum(subtrees.subspan(left), offset, std::span(b).first(out.size()));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = a[i] + b[i];
}

}  // namespace phasor
