// bfloat16: the upper half of a float, with its exponent's range and 8 significant bits. For storage: arithmetic is
// done in float.
#pragma once

#include <bit>
#include <cstdint>

namespace phasor {

struct bfloat16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(bfloat16, bfloat16) = default;  // of the bits: 0 and -0 differ, a NaN equals itself
};

constexpr float to_float(bfloat16 x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16); }
constexpr float to_float(float x) { return x; }

// The nearest bfloat16, ties to even; what is too large becomes infinity, a NaN stays one. Without branches, so that
// loops over it are vectorised.
constexpr bfloat16 to_bfloat16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = bits + 0x7FFF + (bits >> 16 & 1), quiet = bits | 0x400000;
  return {static_cast<std::uint16_t>((x != x ? quiet : rounded) >> 16)};
}

// x rounded to T, which is float or bfloat16.
template <class T>
constexpr T from_float(float x);
template <>
constexpr float from_float<float>(float x) {
  return x;
}
template <>
constexpr bfloat16 from_float<bfloat16>(float x) {
  return to_bfloat16(x);
}

}  // namespace phasor
