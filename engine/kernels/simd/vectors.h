// Vectors as wide as the machine's, for loops that need more elements in registers at a time than GCC keeps there.
// Tensors of float or bfloat16 are read and written as vectors of float, rounded once, as bfloat16.h does.
#pragma once

#include <cstdint>
#include <hwy/highway.h>

#include "engine/base/bfloat16.h"

namespace phasor::kernels::vectors {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr hn::CappedTag<float, 16> kFloats;
using Floats = hn::Vec<decltype(kFloats)>;
inline constexpr auto kWidth = static_cast<std::int64_t>(hn::MaxLanes(kFloats));

// Of the words that hold bfloat16s, and of the same lanes as integers.
inline constexpr hn::Rebind<std::uint16_t, decltype(kFloats)> kHalves;
inline constexpr hn::Rebind<std::uint32_t, decltype(kFloats)> kWords;

constexpr std::int64_t round_up(std::int64_t count) { return (count + kWidth - 1) / kWidth * kWidth; }

inline Floats from_halves(hn::Vec<decltype(kHalves)> halves) {
  return hn::BitCast(kFloats, hn::ShiftLeft<16>(hn::PromoteTo(kWords, halves)));
}

// As to_bfloat16.
inline hn::Vec<decltype(kHalves)> to_halves(Floats x) {
  const auto bits = hn::BitCast(kWords, x);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(kWords, 1));
  const auto rounded = hn::Add(bits, hn::Add(hn::Set(kWords, 0x7FFF), odd));
  const auto quiet = hn::Or(bits, hn::Set(kWords, 0x400000));
  const auto is_nan = hn::RebindMask(kWords, hn::IsNaN(x));
  return hn::TruncateTo(kHalves, hn::ShiftRight<16>(hn::IfThenElse(is_nan, quiet, rounded)));
}

inline Floats load(const float* from) { return hn::LoadU(kFloats, from); }
inline Floats load(const bfloat16* from) {
  return from_halves(hn::LoadU(kHalves, reinterpret_cast<const std::uint16_t*>(from)));
}

inline void store(Floats x, float* to) { hn::StoreU(x, kFloats, to); }
inline void store(Floats x, bfloat16* to) { hn::StoreU(to_halves(x), kHalves, reinterpret_cast<std::uint16_t*>(to)); }

// At least `count` lanes, where 0 < count <= kWidth; the others are what follows in memory, as long as that ends behind
// them, or else anything.
template <class T>
Floats load_first(const T* from, std::int64_t count, const T* end) {
  if (end - from >= kWidth) return load(from);
  float whole[kWidth] = {};
  for (std::int64_t i = 0; i < count; ++i) whole[i] = to_float(from[i]);
  return load(whole);
}

// The first `count` lanes, where 0 < count <= kWidth.
template <class T>
void store_first(Floats x, T* to, std::int64_t count) {
  if (count == kWidth) {
    store(x, to);
    return;
  }
  T whole[kWidth];
  store(x, whole);
  for (std::int64_t i = 0; i < count; ++i) to[i] = whole[i];
}

}  // namespace phasor::kernels::vectors
