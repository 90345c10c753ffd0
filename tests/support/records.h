// Records as the numbers that tests give to graphs.
#pragma once

#include <vector>

#include "engine/ir/records.h"

namespace phasor::test {

// A position on the device, for a slice of a sliced stage.
inline std::vector<std::int64_t> to_longs(const RandomPosition& position, std::int64_t slice = 0) {
  const auto numbers = PositionRecord{.random = position, .slice = slice}.numbers();
  return {numbers.begin(), numbers.end()};
}

}  // namespace phasor::test
