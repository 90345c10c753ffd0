#include "engine/kernels/dropout.h"

#include "engine/kernels/dropout_runs.h"
#include "engine/kernels/simd/pieces.h"
#include "engine/kernels/token_runs.h"

namespace phasor::kernels {

namespace {

// `in` and `out`: the elements of the sample from `first` on.
template <class T>
void drop(const RandomSite& site, const DropoutRate& rate, std::int64_t sample, std::int64_t first,
          std::int64_t elements, const T* in, T* out) {
  for_dropout_runs(site, rate, sample, first, elements,
                   [=](std::int64_t begin, std::int64_t count, const std::uint16_t* bits) {
#pragma GCC ivdep
                     for (std::int64_t i = 0; i < count; ++i) out[begin + i] = dropped(in[begin + i], bits[i], rate);
                   });
}

}  // namespace

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
    const std::int64_t at = sample * elements + begin;
    drop(random, rate, sample, begin, std::min(kGrain, elements - begin), x.data() + at, y.data() + at);
  });
}

template <class T>
void dropout(const RandomPosition& position, std::int64_t site, float probability, const Segments& segments,
             std::span<const T> x, std::span<T> y) {
  if (y.empty()) return;
  const RandomSite random(position, site);
  const DropoutRate rate(probability);
  const std::int64_t sequence = segments.sequence();
  const std::int64_t columns = static_cast<std::int64_t>(y.size()) / (segments.rows() * sequence);
  const std::int64_t grain = row_grain(columns), pieces = (sequence + grain - 1) / grain;
  parallel_for(segments.rows() * pieces, [&](std::int64_t piece) {
    const std::int64_t row = piece / pieces, begin = piece % pieces * grain;
    for_token_runs(segments, row, begin, std::min(begin + grain, sequence),
                   [&](const Segment& segment, std::int64_t first, std::int64_t tokens) {
                     const std::int64_t at = (row * sequence + first) * columns, elements = tokens * columns;
                     if (segment.tokens == 0) {
                       std::fill_n(y.data() + at, elements, T{});
                     } else {
                       drop(random, rate, segment.sample, (first - segment.first) * columns, elements, x.data() + at,
                            y.data() + at);
                     }
                   });
  });
}

template void dropout(const RandomPosition&, std::int64_t, float, std::int64_t, std::span<const float>,
                      std::span<float>);
template void dropout(const RandomPosition&, std::int64_t, float, std::int64_t, std::span<const bfloat16>,
                      std::span<bfloat16>);
template void dropout(const RandomPosition&, std::int64_t, float, const Segments&, std::span<const float>,
                      std::span<float>);
template void dropout(const RandomPosition&, std::int64_t, float, const Segments&, std::span<const bfloat16>,
                      std::span<bfloat16>);

}  // namespace phasor::kernels
