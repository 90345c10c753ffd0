// How kernels cut their work for parallel_for: by sizes alone, so that no result depends on the number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/base/parallel.h"

namespace phasor::kernels {

// Elements of a piece: enough to repay handing it out, few enough to stay in the second-level cache.
inline constexpr std::int64_t kGrain = 1 << 14;

// Rows that make up about kGrain elements.
inline std::int64_t row_grain(std::int64_t columns) {
  return std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, columns));
}

// Sum of term(begin, end) over at most 64 pieces of [0, count) of at least `grain` elements, in double and in order.
template <class Term>
double sum_of_pieces(std::int64_t count, std::int64_t grain, Term term) {
  std::array<double, 64> sums{};
  const auto most = static_cast<std::int64_t>(sums.size());
  const std::int64_t length = std::max(grain, (count + most - 1) / most);
  parallel_for_ranges(count, length,
                      [&](std::int64_t begin, std::int64_t end) { sums[begin / length] = term(begin, end); });
  double sum = 0;
  for (double part : sums) sum += part;
  return sum;
}

}  // namespace phasor::kernels
