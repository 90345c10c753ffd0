// Few combinations of options in place of all: any value of one option meets any value of every other option in one of
// them at least. A fault that takes two options to show is found as by all combinations.
#pragma once

#include <cstddef>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace phasor::test {

// For two options or more with counts[i] > 0 values each: rows of one index an option, in which every pair of values of
// two options stands together. Equal counts give equal rows, hardly more of them than the two largest counts
// multiplied.
std::vector<std::vector<std::size_t>> covering_rows(std::span<const std::size_t> counts);

// The same as tuples of the values: pairwise<Mode, int>({Mode::phased, Mode::monolithic}, {1, 2, 4}).
template <class... Option>
std::vector<std::tuple<Option...>> pairwise(const std::vector<Option>&... values) {
  const std::vector<std::size_t> counts{values.size()...};
  std::vector<std::tuple<Option...>> combinations;
  for (const std::vector<std::size_t>& row : covering_rows(counts)) {
    [&]<std::size_t... i>(std::index_sequence<i...>) { combinations.emplace_back(values[row[i]]...); }
    (std::index_sequence_for<Option...>());
  }
  return combinations;
}

}  // namespace phasor::test
