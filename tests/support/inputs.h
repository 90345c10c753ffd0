// Designed inputs, the same on every run. What each is for is said at its name.
#pragma once

#include <cmath>

#include "engine/base/random.h"
#include "tests/support/buffer.h"

namespace phasor::test {

// Uniform in [0, 1), as a function of (seed, i).
inline double unit_random(std::uint64_t seed, std::size_t i) {
  return random_block(seed, {static_cast<std::uint32_t>(i), 0, 0, 0xDA7A})[0] * 0x1p-32;
}

// The everyday case.
inline Floats uniform(std::uint64_t seed, std::size_t count, float low = -1, float high = 1) {
  Floats x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = low + static_cast<float>(unit_random(seed, i)) * (high - low);
  return x;
}

// Magnitudes from 2^-20 to 2^20 of either sign: a sum loses what a careless order drops.
inline Floats spread(std::uint64_t seed, std::size_t count) {
  Floats x(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double exponent = 40 * unit_random(seed, 2 * i) - 20;
    x[i] = static_cast<float>((i % 2 == 0 ? 1 : -1) * (1 + unit_random(seed, 2 * i + 1)) * std::exp2(exponent));
  }
  return x;
}

// Large numbers that cancel in pairs down to small ones.
inline Floats cancelling(std::uint64_t seed, std::size_t count) {
  Floats x = uniform(seed, count);
  for (std::size_t i = 0; i < count; ++i) x[i] += i % 2 == 0 ? 1000.0f : -1000.0f;
  return x;
}

// Few different values, so that maxima are attained more than once.
inline Floats tied(std::uint64_t seed, std::size_t count) {
  Floats x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = std::floor(static_cast<float>(unit_random(seed, i)) * 3);
  return x;
}

// Integers in [0, end), some repeated and, where end > count, some absent.
inline Ids random_ids(std::uint64_t seed, std::size_t count, std::int32_t end) {
  Ids ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = static_cast<std::int32_t>(unit_random(seed, i) * end);
  return ids;
}

}  // namespace phasor::test
