// Lines turned to panels, some at a time, in registers.
#pragma once

#include <cstdint>
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "engine/base/bfloat16.h"
#include "engine/kernels/simd/vectors.h"

namespace phasor::kernels::turning {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr std::int64_t kFour = 4, kWide = vectors::kWidth;
inline constexpr hn::CappedTag<float, kFour> kFloats;
inline constexpr hn::Rebind<std::uint16_t, decltype(kFloats)> kHalves;
inline constexpr hn::Rebind<std::uint32_t, decltype(kFloats)> kWords;
inline constexpr hn::Repartition<double, decltype(kFloats)> kPairs;
using Four = hn::Vec<decltype(kFloats)>;

inline Four load(const float* from) { return hn::LoadU(kFloats, from); }
inline Four load(const bfloat16* from) {
  const auto halves = hn::LoadU(kHalves, reinterpret_cast<const std::uint16_t*>(from));
  return hn::BitCast(kFloats, hn::ShiftLeft<16>(hn::PromoteTo(kWords, halves)));
}

inline void fetch(const void* cache_line) { hwy::Prefetch(static_cast<const char*>(cache_line)); }

inline void store(Four x, float* to) { hn::StoreU(x, kFloats, to); }

inline Four lower_pairs(Four a, Four b) {
  return hn::BitCast(kFloats, hn::InterleaveLower(kPairs, hn::BitCast(kPairs, a), hn::BitCast(kPairs, b)));
}
inline Four upper_pairs(Four a, Four b) {
  return hn::BitCast(kFloats, hn::InterleaveUpper(kPairs, hn::BitCast(kPairs, a), hn::BitCast(kPairs, b)));
}

// Four lines by four steps, of lines that lie one after the other, to rows of a panel.
template <class T>
void turn(const T* from, std::int64_t stride, float* to, std::int64_t tile) {
  const Four a = load(from), b = load(from + stride), c = load(from + 2 * stride), d = load(from + 3 * stride);
  const Four ab = hn::InterleaveLower(kFloats, a, b), cd = hn::InterleaveLower(kFloats, c, d);
  const Four ab_behind = hn::InterleaveUpper(kFloats, a, b), cd_behind = hn::InterleaveUpper(kFloats, c, d);
  store(lower_pairs(ab, cd), to);
  store(upper_pairs(ab, cd), to + tile);
  store(lower_pairs(ab_behind, cd_behind), to + 2 * tile);
  store(upper_pairs(ab_behind, cd_behind), to + 3 * tile);
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
