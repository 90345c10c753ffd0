// Runs of a pipeline that a proof tries, one by one.
#pragma once

#include <algorithm>
#include <cstdint>

namespace phasor {

// Calls visit(n) for runs of n micro-batches, of which the program has `whole`: for each number from one on or, where
// trying all would take too many of the `moves` that one takes, for the first of them and the whole.
template <class Visit>
void for_each_run_length(std::int64_t moves, int whole, Visit visit) {
  constexpr std::int64_t kMostMoves = 1 << 24;
  const std::int64_t tried = std::max<std::int64_t>(1, kMostMoves / std::max<std::int64_t>(1, moves));
  const auto most = static_cast<int>(std::min<std::int64_t>(whole, tried));
  for (int n = 1; n <= most; ++n) visit(n);
  if (most < whole) visit(whole);
}

}  // namespace phasor
