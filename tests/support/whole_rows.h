// Segments of rows that hold a sample each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace phasor::test {

// As a batch tensor has them: sample i begins row i and has lengths[i] tokens.
inline std::vector<std::int32_t> whole_rows(std::span<const std::int64_t> lengths) {
  std::vector<std::int32_t> numbers;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    numbers.insert(numbers.end(), {0, static_cast<std::int32_t>(lengths[i]), static_cast<std::int32_t>(i)});
  }
  return numbers;
}

}  // namespace phasor::test
