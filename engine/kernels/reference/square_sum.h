// Reference of engine/kernels/square_sum.h.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "engine/kernels/square_sum.h"

namespace phasor::reference {

// sum += sum of x^2, a bit of a square at a time. Every x is a float, so that its square is exact.
inline void square_sum(std::span<const double> x, std::span<std::int64_t> sum) {
  for (double value : x) {
    if (!std::isfinite(value)) {
      ++sum[kernels::kSquareSumLimbs];
      continue;
    }
    int place = -kernels::kSquareSumUnit;  // of the bit that is worth 1
    double rest = value * value;
    for (; rest >= 2; rest /= 2) ++place;
    for (; rest > 0; rest *= 2, --place) {
      if (rest < 1) continue;
      rest -= 1;
      int limb = place / 32;
      sum[limb] += std::int64_t{1} << place % 32;
      for (; sum[limb] >> 32 != 0; ++limb) {
        sum[limb] -= std::int64_t{1} << 32;
        sum[limb + 1] += 1;
      }
    }
  }
}

}  // namespace phasor::reference
