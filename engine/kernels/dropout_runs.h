// Dropout's factors a run at a time, on the stack, for the kernels that use them up at once.
#pragma once

#include <algorithm>

#include "engine/base/bfloat16.h"
#include "engine/kernels/dropout.h"

namespace phasor::kernels {

// Calls use(begin, count, factors) for consecutive runs of [0, elements); factors[i] is that of the element
// first + begin + i of `sample`.
template <class Use>
void for_dropout_runs(const RandomSite& site, const DropoutRate& rate, std::int64_t sample, std::int64_t first,
                      std::int64_t elements, Use use) {
  constexpr std::int64_t kRun = 512;
  float factors[kRun];
  for (std::int64_t begin = 0; begin < elements; begin += kRun) {
    const std::int64_t count = std::min(kRun, elements - begin);
    dropout_factors(site, rate, sample, first + begin, std::span(factors, static_cast<std::size_t>(count)));
    use(begin, count, factors);
  }
}

// x * factor rounded to T, and 0 of a dropped element whatever it was.
template <class T>
T dropped(T x, float factor) {
  return from_float<T>(factor == 0 ? 0.0f : to_float(x) * factor);
}

}  // namespace phasor::kernels
