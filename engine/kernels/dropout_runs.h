// Dropout a run of elements at a time, its random bits on the stack, for the kernels that use them up at once.
#pragma once

#include <algorithm>

#include "engine/base/bfloat16.h"
#include "engine/kernels/dropout.h"

namespace phasor::kernels {

// Calls use(begin, count, bits) for consecutive runs of [0, elements); bits[i] is that of the element first + begin + i
// of `sample`. Where nothing is dropped, nothing is drawn.
template <class Use>
void for_dropout_runs(const RandomSite& site, const DropoutRate& rate, std::int64_t sample, std::int64_t first,
                      std::int64_t elements, Use use) {
  constexpr std::int64_t kRun = 512;
  std::uint16_t bits[kRun];
  if (rate.threshold == 0) std::fill_n(bits, std::min(kRun, elements), std::uint16_t{0});
  for (std::int64_t begin = 0; begin < elements; begin += kRun) {
    const std::int64_t count = std::min(kRun, elements - begin);
    if (rate.threshold > 0) site.fill(sample, first + begin, std::span(bits, static_cast<std::size_t>(count)));
    use(begin, count, bits);
  }
}

// Calls use(begin, count, bits, rate) for consecutive runs of [0, elements), all of which are dropped.
template <class Use>
void for_dropped_runs(std::int64_t elements, Use use) {
  constexpr std::int64_t kRun = 512;
  static constexpr std::uint16_t kNone[kRun] = {};
  DropoutRate rate(0);
  rate.threshold = 1;  // above all bits
  for (std::int64_t begin = 0; begin < elements; begin += kRun)
    use(begin, std::min(kRun, elements - begin), kNone, rate);
}

// x * scale rounded to T where it is kept; 0 where it is dropped, whatever it was.
template <class T>
T dropped(T x, std::uint16_t bits, DropoutRate rate) {
  return from_float<T>(bits < rate.threshold ? 0.0f : to_float(x) * rate.scale);
}

}  // namespace phasor::kernels
