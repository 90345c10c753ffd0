// The order in which contributions are summed: a binary tree whose left half is the largest power of two below the
// number of leaves. Contributions that are themselves such trees over equal powers of two make one larger tree, so that
// the split of a global batch into replicas and micro-batches does not show in the sum.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace phasor {

// How many leaves of a tree of `count` > 1 leaves its left half has.
constexpr int left_leaves(int count) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(count - 1))); }

inline constexpr std::int64_t kTreeSumBlock = 1024;

// out[i] = tree sum over k of leaves[k][offset + i], for up to kTreeSumBlock elements. `out` may be one of the leaves
// at that offset.
inline void tree_sum(std::span<const float* const> leaves, std::int64_t offset, std::span<float> out) {
  if (leaves.size() == 1) {
    if (leaves[0] + offset != out.data()) std::copy_n(leaves[0] + offset, out.size(), out.begin());
    return;
  }
  const auto left = static_cast<std::size_t>(left_leaves(static_cast<int>(leaves.size())));
  std::array<float, kTreeSumBlock> a, b;
  tree_sum(leaves.first(left), offset, std::span(a).first(out.size()));
  tree_sum(leaves.subspan(left), offset, std::span(b).first(out.size()));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = a[i] + b[i];
}

}  // namespace phasor
