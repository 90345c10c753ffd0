// Lines turned to panels, some at a time, in registers.
#pragma once

#include <cstdint>
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "engine/base/bfloat16.h"
#include "engine/kernels/simd/vectors.h"

namespace phasor::kernels::turning {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr std::int64_t kFour = 4, kSix = 6, kWide = vectors::kWidth;
inline constexpr hn::CappedTag<float, 4> kFloats;
inline constexpr hn::CappedTag<float, 8> kEightFloats;  // four, on a processor that has no more
inline constexpr auto kEight = static_cast<std::int64_t>(hn::MaxLanes(kEightFloats));

template <class D>
auto load(D floats, const float* from) {
  return hn::LoadU(floats, from);
}
template <class D>
auto load(D floats, const bfloat16* from) {
  const auto halves = hn::LoadU(hn::Rebind<std::uint16_t, D>(), reinterpret_cast<const std::uint16_t*>(from));
  return hn::BitCast(floats, hn::ShiftLeft<16>(hn::PromoteTo(hn::Rebind<std::uint32_t, D>(), halves)));
}

inline void fetch(const void* cache_line) { hwy::Prefetch(static_cast<const char*>(cache_line)); }

template <class D, class V>
void store(V x, D floats, float* to) {
  hn::StoreU(x, floats, to);
}

// Of each four lanes: the lower two of a and of b, the upper two of each, the lower two of a and the upper of b.
template <class D, class V>
V lower_pairs(D floats, V a, V b) {
  constexpr hn::Repartition<double, D> kPairs;
  return hn::BitCast(floats, hn::InterleaveLower(kPairs, hn::BitCast(kPairs, a), hn::BitCast(kPairs, b)));
}
template <class D, class V>
V upper_pairs(D floats, V a, V b) {
  constexpr hn::Repartition<double, D> kPairs;
  return hn::BitCast(floats, hn::InterleaveUpper(kPairs, hn::BitCast(kPairs, a), hn::BitCast(kPairs, b)));
}
template <class D, class V>
V outer_pairs(D floats, V a, V b) {
  constexpr hn::Repartition<double, D> kPairs;
  return hn::BitCast(floats, hn::OddEven(hn::BitCast(kPairs, b), hn::BitCast(kPairs, a)));
}

// What kEightFloats hold of four steps, and of the four steps behind those where they hold more.
template <class V>
void store_steps(V x, float* to, std::int64_t tile) {
  if constexpr (kEight == kFour) {
    store(x, kFloats, to);
  } else {
    store(hn::LowerHalf(x), kFloats, to);
    store(hn::UpperHalf(kFloats, x), kFloats, to + kFour * tile);
  }
}

// Four lines by kEight steps, of lines that lie one after the other, to rows of a panel.
template <class T>
HWY_INLINE void turn(const T* from, std::int64_t stride, float* to, std::int64_t tile) {
  const auto line = [=](std::int64_t i) { return load(kEightFloats, from + i * stride); };
  const auto a = line(0), b = line(1), c = line(2), d = line(3);
  const auto ab = hn::InterleaveLower(kEightFloats, a, b), cd = hn::InterleaveLower(kEightFloats, c, d);
  const auto ab_behind = hn::InterleaveUpper(kEightFloats, a, b), cd_behind = hn::InterleaveUpper(kEightFloats, c, d);
  store_steps(lower_pairs(kEightFloats, ab, cd), to, tile);
  store_steps(upper_pairs(kEightFloats, ab, cd), to + tile, tile);
  store_steps(lower_pairs(kEightFloats, ab_behind, cd_behind), to + 2 * tile, tile);
  store_steps(upper_pairs(kEightFloats, ab_behind, cd_behind), to + 3 * tile, tile);
}

// Six lines, to a panel of six: four floats at a time, of whichever steps they are.
template <class T>
HWY_INLINE void turn_six(const T* from, std::int64_t stride, float* to) {
  const auto line = [=](std::int64_t i) { return load(kEightFloats, from + i * stride); };
  const auto store_two_steps = [](auto ab, auto cd, auto ef, float* at) {
    store_steps(lower_pairs(kEightFloats, ab, cd), at, kSix);
    store_steps(outer_pairs(kEightFloats, ef, ab), at + kFour, kSix);
    store_steps(upper_pairs(kEightFloats, cd, ef), at + 2 * kFour, kSix);
  };
  const auto a = line(0), b = line(1), c = line(2), d = line(3), e = line(4), f = line(5);
  store_two_steps(hn::InterleaveLower(kEightFloats, a, b), hn::InterleaveLower(kEightFloats, c, d),
                  hn::InterleaveLower(kEightFloats, e, f), to);
  store_two_steps(hn::InterleaveUpper(kEightFloats, a, b), hn::InterleaveUpper(kEightFloats, c, d),
                  hn::InterleaveUpper(kEightFloats, e, f), to + 2 * kSix);
}

// Of four lines as many steps as a vector holds, to a panel of four.
template <class T>
void turn_wide(const T* from, std::int64_t stride, float* to) {
  using vectors::load;
  hn::StoreInterleaved4(load(from), load(from + stride), load(from + 2 * stride), load(from + 3 * stride),
                        vectors::kFloats, to);
}

// Four steps of as many lines as a vector of four blocks holds, which lie side by side, to four panels of four.
template <class T>
void turn_blocks(const T* from, std::int64_t stride, float* to, std::int64_t panel) {
  using vectors::kFloats, vectors::load, vectors::store;
  const auto a = load(from), b = load(from + stride), c = load(from + 2 * stride), d = load(from + 3 * stride);
  const auto even_ab = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a);
  const auto odd_ab = hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
  const auto even_cd = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(d), c);
  const auto odd_cd = hn::OddEvenBlocks(d, hn::SwapAdjacentBlocks(c));
  store(hn::ConcatLowerLower(kFloats, even_cd, even_ab), to);
  store(hn::ConcatLowerLower(kFloats, odd_cd, odd_ab), to + panel);
  store(hn::ConcatUpperUpper(kFloats, even_cd, even_ab), to + 2 * panel);
  store(hn::ConcatUpperUpper(kFloats, odd_cd, odd_ab), to + 3 * panel);
}

}  // namespace phasor::kernels::turning
