#include "engine/base/finite.h"

#include <algorithm>
#include <cmath>

namespace phasor {

std::optional<std::size_t> first_not_finite(std::span<const float> values) {
  // 0 × x is 0 for what is finite and NaN for the rest: a sum without a branch, as fast as memory, a piece at a time.
  constexpr std::size_t kRun = 4096, kLanes = 16;
  for (std::size_t begin = 0; begin < values.size(); begin += kRun) {
    const std::span<const float> piece = values.subspan(begin, std::min(kRun, values.size() - begin));
    float zeros[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= piece.size(); i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) zeros[lane] += 0.0f * piece[i + lane];
    }
    bool finite = std::ranges::all_of(zeros, [](float zero) { return zero == 0; });
    for (; i < piece.size(); ++i) finite = finite && std::isfinite(piece[i]);
    if (finite) continue;
    const auto found = std::ranges::find_if_not(piece, [](float value) { return std::isfinite(value); });
    return begin + static_cast<std::size_t>(found - piece.begin());
  }
  return std::nullopt;
}

}  // namespace phasor
