#include "engine/kernels/dropout.h"

#include "engine/kernels/dropout_runs.h"
#include "engine/kernels/simd/pieces.h"

namespace phasor::kernels {

void dropout_factors(const RandomSite& site, const DropoutRate& rate, std::int64_t sample, std::int64_t first,
                     std::span<float> factors) {
  for_dropout_runs(site, rate, sample, first, static_cast<std::int64_t>(factors.size()),
                   [factors, rate](std::int64_t begin, std::int64_t count, const std::uint16_t* bits) {
                     float* part = factors.data() + begin;
                     for (std::int64_t i = 0; i < count; ++i) part[i] = bits[i] < rate.threshold ? 0.0f : rate.scale;
                   });
}

template <class T>
void dropout(const RandomPosition& position, std::int64_t site, float probability, std::int64_t samples,
             std::span<const T> x, std::span<T> y) {
  if (y.empty()) return;
  const RandomSite random(position, site);
  const DropoutRate rate(probability);
  const std::int64_t elements = static_cast<std::int64_t>(y.size()) / samples;
  const std::int64_t pieces = (elements + kGrain - 1) / kGrain;
  parallel_for(samples * pieces, [&](std::int64_t piece) {
    const std::int64_t sample = piece / pieces, begin = piece % pieces * kGrain;
    const T* in = x.data() + sample * elements + begin;
    T* out = y.data() + sample * elements + begin;
    for_dropout_runs(random, rate, sample, begin, std::min(kGrain, elements - begin),
                     [=](std::int64_t first, std::int64_t count, const std::uint16_t* bits) {
#pragma GCC ivdep
                       for (std::int64_t i = 0; i < count; ++i) out[first + i] = dropped(in[first + i], bits[i], rate);
                     });
  });
}

template void dropout(const RandomPosition&, std::int64_t, float, std::int64_t, std::span<const float>,
                      std::span<float>);
template void dropout(const RandomPosition&, std::int64_t, float, std::int64_t, std::span<const bfloat16>,
                      std::span<bfloat16>);

}  // namespace phasor::kernels
