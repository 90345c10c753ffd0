// exp, the normal distribution and its approximation by tanh without branches or calls, so that GCC vectorises loops
// over them. Every operation rounds as IEEE 754 says and fusing is explicit: an element has the same bits in a loop's
// vector body, in its remainder and alone.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace phasor::kernels {

inline constexpr float kLog2E = 1.44269504f;

// e^x for x <= 88, within 1 ulp; 0 where it would be subnormal, NaN of NaN.
// x = n log 2 + r with |r| <= log(2) / 2;  e^x = 2^n (1 + r + r^2 p(r)), p by Chebyshev interpolation.
inline float vector_exp(float x) {
  constexpr float kLowest = -87.33654f;                                  // logarithm of the smallest normal float
  constexpr float kLog2High = 0.693359375f, kLog2Low = -2.12194440e-4f;  // n * kLog2High is exact
  // Added to a small number, this leaves its nearest integer in the lowest bits, and 127 more: the exponent of 2^n.
  constexpr float kRounder = 0x1.8p23f + 127;

  const float shifted = std::fma(x, kLog2E, kRounder);
  const float n = shifted - kRounder;
  const float r = std::fma(n, -kLog2Low, std::fma(n, -kLog2High, x));
  float p = 1.989098087e-4f;
  p = std::fma(p, r, 1.393364103e-3f);
  p = std::fma(p, r, 8.333310934e-3f);
  p = std::fma(p, r, 4.166646501e-2f);
  p = std::fma(p, r, 1.666666668e-1f);
  p = std::fma(p, r, 5.000000013e-1f);
  const float mantissa = std::fma(p, r * r, r) + 1;
  const auto power = std::bit_cast<float>(std::bit_cast<std::uint32_t>(shifted) << 23);
  return x < kLowest ? 0.0f : mantissa * power;
}

// The standard normal distribution at a point.
struct Normal {
  float cumulative;  // Phi(x) = (1 + erf(x / sqrt 2)) / 2
  float density;     // phi(x) = exp(-x^2 / 2) / sqrt(2 pi)
};

// Both within 6 ulp wherever they are normal numbers, the lower tail included, and 0 where they would be subnormal.
// The upper tail is Phi(-t) = exp(-t^2 / 2) P(q) / (t + k), q = (t - k) / (t + k), k = 3.5, P by Chebyshev
// interpolation.
inline Normal vector_normal(float x) {
  constexpr float kBeyond = 14;  // where both functions have vanished
  constexpr float kCentre = 3.5f;
  constexpr float kInverseSqrtTwoPi = 0.398942280f;

  const float distance = std::abs(x);
  const float t = distance > kBeyond ? kBeyond : distance;
  // exp(-t^2 / 2), with what is lost in rounding t^2 put back to first order.
  const float square = t * t;
  const float lost = std::fma(t, t, -square);
  const float rounded = vector_exp(-0.5f * square);
  const float bell = std::fma(rounded, -0.5f * lost, rounded);

  const float inverse = 1 / (t + kCentre);
  const float q = (t - kCentre) * inverse;
  float p = 1.268793661e-4f;
  p = std::fma(p, q, 4.503789869e-4f);
  p = std::fma(p, q, -4.949724305e-4f);
  p = std::fma(p, q, -3.195295786e-3f);
  p = std::fma(p, q, 6.488812715e-3f);
  p = std::fma(p, q, 1.741101008e-2f);
  p = std::fma(p, q, -1.160520845e-1f);
  p = std::fma(p, q, 3.154246764e-1f);
  p = std::fma(p, q, -5.655617867e-1f);
  p = std::fma(p, q, 7.444160792e-1f);
  const float tail = bell * (p * inverse);
  return {.cumulative = x > 0 ? 1 - tail : tail, .density = bell * kInverseSqrtTwoPi};
}

// 2^x within a relative 2^-16 for x <= 1; 0 where it would be subnormal, NaN of NaN. x = n + f with |f| <= 1 / 2.
inline float rough_exp2(float x) {
  constexpr float kRounder = 0x1.8p23f;  // as in vector_exp, but for the 127

  const float shifted = x + kRounder;
  const float f = x - (shifted - kRounder);
  float p = 9.666368515e-3f;
  p = std::fma(p, f, 5.592197584e-2f);
  p = std::fma(p, f, 2.402234904e-1f);
  p = std::fma(p, f, 6.931210452e-1f);
  p = std::fma(p, f, 1.0f);
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(p) + (std::bit_cast<std::uint32_t>(shifted) << 23);
  return x < -126 ? 0.0f : std::bit_cast<float>(bits);
}

// Both within a relative 2^-15 wherever they are normal numbers, and 0 where the density is not: for what is rounded to
// bfloat16, at half the price. As above with rough_exp2, k = 4.5 and a polynomial of lower degree.
inline Normal rough_normal(float x) {
  constexpr float kBeyond = 13.5f;  // where both functions have vanished
  constexpr float kHalfLog2E = 0.72134752f;
  constexpr float kCentre = 4.5f;
  constexpr float kInverseSqrtTwoPi = 0.398942280f;

  const float distance = std::abs(x);
  const float t = distance > kBeyond ? kBeyond : distance;
  const float bell = rough_exp2(-kHalfLog2E * (t * t));

  const float inverse = 1 / (t + kCentre);
  const float q = (t - kCentre) * inverse;
  float r = -3.442439223e-2f;
  r = std::fma(r, q, 1.128398654e-1f);
  r = std::fma(r, q, -2.529359669e-1f);
  r = std::fma(r, q, 4.463275412e-1f);
  r = std::fma(r, q, -6.402598839e-1f);
  r = std::fma(r, q, 7.632308939e-1f);
  const float tail = bell * (r * inverse);
  return {.cumulative = x > 0 ? 1 - tail : tail, .density = bell * kInverseSqrtTwoPi};
}

// What approximates the normal distribution in gelu's tanh form:
//   P(x) = (1 + tanh u) / 2 = 1 / (1 + e^-2u),  2u = a x + b x^3,  p = P' = P(x) P(-x) (a + 3 b x^2)
struct TanhNormal {
  static constexpr float kA = 1.595769122f, kB = 0.07135481283f;  // 2 sqrt(2 / pi), and 0.044715 of it
  static constexpr float kBeyond = 11;                            // where e^-2u has vanished

  explicit TanhNormal(float x) {
    const float distance = std::abs(x);
    const float t = distance > kBeyond ? kBeyond : distance;
    square = t * t;
    twice_u = t * std::fma(square, kB, kA);
  }
  // At x; `small` is e^-2u of |x|.
  Normal at(float x, float small) const {
    const float large_part = 1 / (1 + small), small_part = small * large_part;  // P(|x|), P(-|x|)
    return {.cumulative = x > 0 ? large_part : small_part,
            .density = small_part * large_part * std::fma(square, 3 * kB, kA)};
  }

  float square, twice_u;  // of |x|
};

// P within 6 + 4 |2u| units of roundoff (2^-24), of which the exponent's own roundings make those with 2u, and p within
// twice as many; 0 where e^-2u would be subnormal.
inline Normal vector_tanh_normal(float x) {
  const TanhNormal normal(x);
  return normal.at(x, vector_exp(-normal.twice_u));
}

// Both within a relative 2^-14, for what is rounded to bfloat16.
inline Normal rough_tanh_normal(float x) {
  const TanhNormal normal(x);
  return normal.at(x, rough_exp2(-kLog2E * normal.twice_u));
}

}  // namespace phasor::kernels
