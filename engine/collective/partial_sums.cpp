#include "engine/collective/partial_sums.h"

#include <algorithm>
#include <array>
#include <bit>

#include "engine/base/parallel.h"

namespace phasor {

namespace {

// How many of the run's last subtrees leaf number run.end makes whole together with itself.
int completed_by_next(LeafRun run) {
  const auto next = static_cast<unsigned>(run.end) + 1, length = next - static_cast<unsigned>(run.first);
  return std::min(std::countr_zero(next), static_cast<int>(std::bit_width(length)) - 1);
}

// The most set bits of a number up to `last`, which are those of 2^k - 1 or its own.
int most_bits(unsigned last) { return std::max(std::popcount(last), static_cast<int>(std::bit_width(last)) - 1); }

// The most subtrees of the run or of one that ends before it. Up to the place in the run that most powers of two
// divide, subtrees grow, each by what its place allows; behind it they shrink, as the bits do of how far the run goes
// on.
int most_subtrees(LeafRun run) {
  const auto end = static_cast<unsigned>(run.end);
  int most = 0, grown = 0;
  for (auto place = static_cast<unsigned>(run.first); place <= end; ++grown) {
    const unsigned fits = place & (~place + 1);  // 0: any number
    most = std::max(most, grown + most_bits(fits == 0 ? end : std::min(end - place, fits - 1)));
    if (fits == 0) break;
    place += fits;
  }
  return most;
}

}  // namespace

int LeafRun::first_subtree() const {
  const unsigned fits = std::bit_floor(static_cast<unsigned>(end - first));
  return static_cast<int>(first == 0 ? fits : std::min(fits, 1U << std::countr_zero(static_cast<unsigned>(first))));
}

int LeafRun::subtrees() const {
  int count = 0;
  for (LeafRun rest = *this; rest.first < rest.end; rest.first += rest.first_subtree()) ++count;
  return count;
}

int most_partial_sums(int replicas, int most_leaves) {
  int most = 0;
  for (int leaves = 1; leaves <= most_leaves; ++leaves) {
    for (int rank = 0; rank < replicas; ++rank) most = std::max(most, most_subtrees(LeafRun::of(rank, leaves)));
  }
  return most;
}

void add_leaf(std::span<float> partials, LeafRun run, std::span<const float> leaf) {
  const auto elements = static_cast<std::int64_t>(leaf.size());
  const int held = run.subtrees(), kept = held - completed_by_next(run);
  parallel_for_ranges(elements, kTreeSumBlock, [&](std::int64_t begin, std::int64_t end) {
    std::array<float, kTreeSumBlock> block;
    const auto sum = std::span(block).first(static_cast<std::size_t>(end - begin));
    const auto place = [&](int partial) { return partials.begin() + partial * elements + begin; };
    std::copy_n(leaf.begin() + begin, sum.size(), sum.begin());
    for (int partial = held - 1; partial >= kept; --partial) {
      const auto left = place(partial);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = left[static_cast<std::ptrdiff_t>(i)] + sum[i];
    }
    std::ranges::copy(sum, place(kept));
  });
}

void add_subtrees(std::vector<Subtree>& subtrees, LeafRun run, const float* partials, std::int64_t elements) {
  while (run.first < run.end) {
    subtrees.push_back({partials, run.first_subtree()});
    partials += elements;
    run.first += subtrees.back().leaves;
  }
}

}  // namespace phasor
