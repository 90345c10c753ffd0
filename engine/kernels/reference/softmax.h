// What cross-entropy and attention share.
#pragma once

#include <algorithm>
#include <span>

#include "engine/kernels/reference/scalar.h"

namespace phasor::reference {

// log of the sum of exp(x[i]), without overflow: highest + log(sum of exp(x[i] - highest)). x is not empty.
template <class T>
T log_sum_exp(std::span<const T> x) {
  T highest = x[0], sum{};
  for (const T& value : x) highest = larger(highest, value);
  for (const T& value : x) sum += std::exp(value - highest);
  return highest + std::log(sum);
}

}  // namespace phasor::reference
