// How many tokens narrow rows have: those of micro-batches that their samples do not fill.
#pragma once

#include <cstdint>
#include <vector>

namespace phasor::layers {

// In rising order the multiples of a thirty-second of a row of so many tokens, without the row itself; a multiple of 16
// tokens, which is what a vector of floats holds, in the place of the thirty-second. Half of it is computed on padding
// in the mean; each takes a program more, a few milliseconds of preparation.
inline std::vector<std::int64_t> narrow_rows(std::int64_t tokens) {
  constexpr std::int64_t kParts = 32, kMultiple = 16;
  const std::int64_t step = (tokens + kParts * kMultiple - 1) / (kParts * kMultiple) * kMultiple;
  std::vector<std::int64_t> rows;
  for (std::int64_t row = step; row < tokens; row += step) rows.push_back(row);
  return rows;
}

}  // namespace phasor::layers
