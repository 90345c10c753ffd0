// Leaves, and their sum as tree_sum.h defines it, one element at a time.
#pragma once

#include <vector>

#include "tests/support/inputs.h"

namespace phasor::test {

inline std::vector<Floats> make_leaves(int count, std::size_t elements) {
  std::vector<Floats> leaves;
  for (int k = 0; k < count; ++k) leaves.push_back(spread(static_cast<std::uint64_t>(k), elements));
  return leaves;
}

// Of leaves [first, first + count).
inline float sum_of(const std::vector<Floats>& leaves, std::size_t element, std::size_t first, std::size_t count) {
  if (count == 1) return leaves[first][element];
  std::size_t left = 1;
  while (2 * left < count) left *= 2;
  return sum_of(leaves, element, first, left) + sum_of(leaves, element, first + left, count - left);
}
inline Floats sum_of(const std::vector<Floats>& leaves) {
  Floats sum(leaves[0].size());
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = sum_of(leaves, i, 0, leaves.size());
  return sum;
}

}  // namespace phasor::test
