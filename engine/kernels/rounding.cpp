#include "engine/kernels/rounding.h"

#include <algorithm>
#include <array>

#include "engine/kernels/simd/pieces.h"

namespace phasor::kernels {

namespace {

constexpr std::int64_t kRun = 512;  // elements whose bits are drawn at a time, on the stack

void round_run(const float* x, const std::uint16_t* draws, std::int64_t count, bfloat16* y) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(x[i]);
    const bool is_finite = (bits & 0x7F800000) != 0x7F800000;
    const std::uint32_t drawn = (bits + draws[i]) >> 16;
    y[i] = is_finite ? bfloat16{static_cast<std::uint16_t>(drawn)} : to_bfloat16(x[i]);
  }
}

}  // namespace

void stochastic_round(const RandomPosition& position, std::int64_t sample, std::int64_t first, std::span<const float> x,
                      std::span<bfloat16> y) {
  const RandomSite random(position, kRoundingSite);
  parallel_for_ranges(static_cast<std::int64_t>(y.size()), kGrain, [&](std::int64_t begin, std::int64_t end) {
    std::array<std::uint16_t, kRun> draws;
    for (std::int64_t i = begin; i < end; i += kRun) {
      const std::int64_t count = std::min(kRun, end - i);
      random.fill(sample, first + i, std::span(draws).first(static_cast<std::size_t>(count)));
      round_run(x.data() + i, draws.data(), count, y.data() + i);
    }
  });
}

}  // namespace phasor::kernels
