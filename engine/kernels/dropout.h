// Inverted dropout whose mask is a function of the counter (see RandomSite), so that it can be made again at any time.
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/random.h"
#include "engine/base/segments.h"

namespace phasor::kernels {

// Dropping is decided on 16 random bits: an element is dropped when its bits are below the threshold. The probability
// is thereby rounded to a multiple of 2^-16, and the scale follows the rounded one, so that the mean is kept.
struct DropoutRate {
  explicit DropoutRate(float probability)
      : threshold(static_cast<std::uint32_t>(probability * 0x1p16f + 0.5f)),
        scale(static_cast<float>(0x1p16 / (0x1p16 - threshold))) {}
  std::uint32_t threshold;  // in [0, 2^16)
  float scale;
};

// y = x * scale where an element is kept, else 0. x is [samples, x.size() / samples]. y may be x itself.
// The gradient is the same function of dy. T is float or bfloat16 (see elementwise.h).
template <class T>
void dropout(const RandomPosition& position, std::int64_t site, float probability, std::int64_t samples,
             std::span<const T> x, std::span<T> y);

// The same of samples side by side: x is [segments.rows(), segments.sequence(), ...], and a sample's elements count
// from its segment's first token, so that they are dropped wherever it stands. Padding becomes 0, whatever it was.
template <class T>
void dropout(const RandomPosition& position, std::int64_t site, float probability, const Segments& segments,
             std::span<const T> x, std::span<T> y);

}  // namespace phasor::kernels
