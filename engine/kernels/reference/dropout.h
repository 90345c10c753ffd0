// Reference of engine/kernels/dropout.h.
#pragma once

#include "engine/kernels/dropout.h"

namespace phasor::reference {

using kernels::DropoutRate;

// What dropout multiplies one element of a sample by: the scale, or 0.
template <class T>
T dropout_factor(const RandomSite& site, const DropoutRate& rate, std::int64_t sample, std::int64_t element) {
  std::uint16_t bits = 0;
  site.fill(sample, element, std::span(&bits, 1));
  return bits < rate.threshold ? T(0) : T(rate.scale);
}

// y = x * factor
template <class T>
void dropout(const RandomPosition& position, std::int64_t site, float probability, std::int64_t samples,
             std::span<const T> x, std::span<T> y) {
  const RandomSite random(position, site);
  const DropoutRate rate(probability);
  const std::int64_t elements = samples == 0 ? 0 : static_cast<std::int64_t>(x.size()) / samples;
  for (std::int64_t sample = 0; sample < samples; ++sample)
    for (std::int64_t e = 0; e < elements; ++e)
      y[sample * elements + e] = x[sample * elements + e] * dropout_factor<T>(random, rate, sample, e);
}

// An element of a segment counts from its first token; padding becomes 0.
template <class T>
void dropout(const RandomPosition& position, std::int64_t site, float probability, const Segments& segments,
             std::span<const T> x, std::span<T> y) {
  const RandomSite random(position, site);
  const DropoutRate rate(probability);
  const std::int64_t sequence = segments.sequence(), tokens = segments.rows() * sequence;
  const std::int64_t columns = tokens == 0 ? 0 : static_cast<std::int64_t>(x.size()) / tokens;
  for (std::int64_t row = 0; row < segments.rows(); ++row)
    for (std::int64_t token = 0; token < sequence; ++token) {
      const Segment segment = segments.of_token(row, token);
      for (std::int64_t column = 0; column < columns; ++column) {
        const std::int64_t at = (row * sequence + token) * columns + column;
        const std::int64_t element = (token - segment.first) * columns + column;
        y[at] = segment.tokens == 0 ? T{} : x[at] * dropout_factor<T>(random, rate, segment.sample, element);
      }
    }
}

}  // namespace phasor::reference
