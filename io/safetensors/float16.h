// float16 (IEEE 754 binary16): 5 bits of exponent, 11 significant bits. For files: nothing computes in it.
#pragma once

#include <bit>
#include <cstdint>

namespace phasor::io {

struct float16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(float16, float16) = default;  // of the bits: 0 and -0 differ, a NaN equals itself
};

inline constexpr float kLargestFloat16 = 65504;

// Exact: every float16 is a float. A NaN keeps its sign and its payload.
constexpr float to_float(float16 x) {
  const std::uint32_t sign = static_cast<std::uint32_t>(x.bits & 0x8000) << 16, magnitude = x.bits & 0x7FFF;
  std::uint32_t bits = magnitude << 13;
  if (magnitude >= 0x7C00) {
    bits |= 0xFF << 23;  // infinity or NaN
  } else if (magnitude >= 0x400) {
    bits += (127 - 15) << 23;
  } else {
    bits = std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);  // 0 or subnormal
  }
  return std::bit_cast<float>(sign | bits);
}

// The nearest float16, ties to even; what is too large becomes infinity, a NaN stays one.
constexpr float16 to_float16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7FFFFFFF;
  std::uint32_t rounded = 0;
  if (magnitude > 0x7F800000) {
    rounded = 0x7E00 | (magnitude >> 13 & 0x3FF);
  } else if (magnitude >= std::bit_cast<std::uint32_t>(65520.0f)) {  // halfway to what 65536 would be
    rounded = 0x7C00;
  } else if (magnitude >= std::bit_cast<std::uint32_t>(0x1p-14f)) {
    rounded = ((magnitude + 0xFFF + (magnitude >> 13 & 1)) >> 13) - ((127 - 15) << 10);
  } else {
    // Subnormals are multiples of 2^-24, and so are the floats from 0.5 to 1: the addition rounds.
    rounded = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - std::bit_cast<std::uint32_t>(0.5f);
  }
  return {static_cast<std::uint16_t>(sign | rounded)};
}

}  // namespace phasor::io
