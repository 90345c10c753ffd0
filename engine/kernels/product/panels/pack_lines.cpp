#include "engine/kernels/product/panels/pack_lines.h"

#include <algorithm>
#include <array>
#include <hwy/highway.h>

#include "engine/base/bfloat16.h"
#include "engine/kernels/simd/vectors.h"

namespace phasor::kernels {

namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t kFour = 4, kWide = vectors::kWidth;
constexpr hn::CappedTag<float, kFour> kFloats;
constexpr hn::Rebind<std::uint16_t, decltype(kFloats)> kHalves;
constexpr hn::Rebind<std::uint32_t, decltype(kFloats)> kWords;
constexpr hn::Repartition<double, decltype(kFloats)> kPairs;
using Four = hn::Vec<decltype(kFloats)>;

Four load(const float* from) { return hn::LoadU(kFloats, from); }
Four load(const bfloat16* from) {
  const auto halves = hn::LoadU(kHalves, reinterpret_cast<const std::uint16_t*>(from));
  return hn::BitCast(kFloats, hn::ShiftLeft<16>(hn::PromoteTo(kWords, halves)));
}

Four lower_pairs(Four a, Four b) {
  return hn::BitCast(kFloats, hn::InterleaveLower(kPairs, hn::BitCast(kPairs, a), hn::BitCast(kPairs, b)));
}
Four upper_pairs(Four a, Four b) {
  return hn::BitCast(kFloats, hn::InterleaveUpper(kPairs, hn::BitCast(kPairs, a), hn::BitCast(kPairs, b)));
}

// Four lines by four steps, of lines that lie one after the other, to rows of a panel.
template <class T>
void turn(const T* from, std::int64_t stride, float* to, std::int64_t tile) {
  const Four a = load(from), b = load(from + stride), c = load(from + 2 * stride), d = load(from + 3 * stride);
  const Four ab = hn::InterleaveLower(kFloats, a, b), cd = hn::InterleaveLower(kFloats, c, d);
  const Four ab_behind = hn::InterleaveUpper(kFloats, a, b), cd_behind = hn::InterleaveUpper(kFloats, c, d);
  hn::StoreU(lower_pairs(ab, cd), kFloats, to);
  hn::StoreU(upper_pairs(ab, cd), kFloats, to + tile);
  hn::StoreU(lower_pairs(ab_behind, cd_behind), kFloats, to + 2 * tile);
  hn::StoreU(upper_pairs(ab_behind, cd_behind), kFloats, to + 3 * tile);
}

// Of four lines as many steps as a vector holds, to a panel of four.
template <class T>
void turn_wide(const T* from, std::int64_t stride, float* to) {
  using vectors::load;
  hn::StoreInterleaved4(load(from), load(from + stride), load(from + 2 * stride), load(from + 3 * stride),
                        vectors::kFloats, to);
}

template <class T>
class Packer {
 public:
  Packer(const T* from, const Lines& lines, std::int64_t depth, std::int64_t tile, float* panels)
      : from_(from), stride_(lines.stride), depth_(depth), tile_(tile), panels_(panels) {}

  // A cache line of floats at a time.
  void pack_side_by_side(std::int64_t lines) const {
    constexpr std::int64_t kAtATime = 4;
    std::int64_t line = 0;
    for (; line + kAtATime * kFour <= lines; line += kAtATime * kFour) pack_fours<kAtATime>(line);
    for (; line < lines; line += kFour) pack_fours<1>(line);
  }

  void pack_one_after_another(std::int64_t lines) const {
    for (std::int64_t line = 0; line < lines; line += kFour) {
      const T* const from = from_ + line * stride_;
      float* const to = at(line);
      std::int64_t step = 0;
      if (tile_ == kFour)
        for (; step + kWide <= depth_; step += kWide) turn_wide(from + step, stride_, to + step * kFour);
      for (; step + kFour <= depth_; step += kFour) turn(from + step, stride_, to + step * tile_, tile_);
      for (; step < depth_; ++step)
        for (std::int64_t i = 0; i < kFour; ++i) to[step * tile_ + i] = to_float(from[i * stride_ + step]);
    }
  }

  // Of the panel that begins with `line`, as many as there are.
  void pack_last(std::int64_t line, std::int64_t count, bool side_by_side) const {
    float* const to = at(line);
    for (std::int64_t step = 0; step < depth_; ++step)
      for (std::int64_t i = 0; i < tile_; ++i) {
        const std::int64_t place = side_by_side ? step * stride_ + line + i : (line + i) * stride_ + step;
        to[step * tile_ + i] = i < count ? to_float(from_[place]) : 0.0f;
      }
  }

 private:
  template <std::int64_t kCount>
  void pack_fours(std::int64_t line) const {
    std::array<float*, kCount> to{};
    for (std::int64_t i = 0; i < kCount; ++i) to[i] = at(line + i * kFour);
    const T* from = from_ + line;
    for (std::int64_t step = 0; step < depth_; ++step, from += stride_)
      for (std::int64_t i = 0; i < kCount; ++i) hn::StoreU(load(from + i * kFour), kFloats, to[i] + step * tile_);
  }

  float* at(std::int64_t line) const { return panels_ + line / tile_ * tile_ * depth_ + line % tile_; }

  const T* from_;
  std::int64_t stride_, depth_, tile_;
  float* panels_;
};

template <class T>
void pack(const Lines& lines, const LineRange& r, std::int64_t tile, float* panels) {
  const std::int64_t first = lines.side_by_side ? r.step * lines.stride + r.line : r.line * lines.stride + r.step;
  const Packer<T> packer(static_cast<const T*>(lines.data) + first, lines, r.depth, tile, panels);
  const std::int64_t whole = r.count / tile * tile;
  if (lines.side_by_side) {
    packer.pack_side_by_side(whole);
  } else {
    packer.pack_one_after_another(whole);
  }
  if (whole < r.count) packer.pack_last(whole, r.count - whole, lines.side_by_side);
}

}  // namespace

void pack_lines(const Lines& from, const LineRange& range, std::int64_t tile, float* panels) {
  if (from.type == DType::bf16) {
    pack<bfloat16>(from, range, tile, panels);
  } else {
    pack<float>(from, range, tile, panels);
  }
}

}  // namespace phasor::kernels
