#include "engine/kernels/product/panels/pack_lines.h"

#include <algorithm>
#include <array>

#include "engine/base/bfloat16.h"
#include "engine/kernels/product/panels/turn_lines.h"

namespace phasor::kernels {

namespace {

using turning::kFour, turning::kWide;

// Lines side by side are read so many steps at a time: each step lies in a page of its own.
constexpr std::int64_t kSteps = 16;

template <class T>
class Packer {
 public:
  Packer(const T* from, const Lines& lines, std::int64_t depth, std::int64_t tile, float* panels)
      : from_(from), stride_(lines.stride), depth_(depth), tile_(tile), panels_(panels) {}

  // A cache line of floats at a time.
  void pack_side_by_side(std::int64_t lines) const {
    constexpr std::int64_t kAtATime = 4;
    for (std::int64_t step = 0; step < depth_; step += kSteps) {
      const std::int64_t end = std::min(depth_, step + kSteps);
      std::int64_t line = 0;
      for (; line + kAtATime * kFour <= lines; line += kAtATime * kFour) pack_fours<kAtATime>(line, step, end);
      for (; line < lines; line += kFour) pack_fours<1>(line, step, end);
    }
  }

  void pack_one_after_another(std::int64_t lines) const {
    for (std::int64_t line = 0; line < lines; line += kFour) {
      const T* const from = from_ + line * stride_;
      float* const to = at(line);
      std::int64_t step = 0;
      if (tile_ == kFour)
        for (; step + kWide <= depth_; step += kWide) turning::turn_wide(from + step, stride_, to + step * kFour);
      for (; step + kFour <= depth_; step += kFour) turning::turn(from + step, stride_, to + step * tile_, tile_);
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
  // Steps [step, end) of some lines.
  template <std::int64_t kCount>
  void pack_fours(std::int64_t line, std::int64_t step, std::int64_t end) const {
    if constexpr (kCount == kFour && kCount * kFour == kWide)
      if (tile_ == kFour)
        for (; step + kFour <= end; step += kFour)
          turning::turn_blocks(from_ + step * stride_ + line, stride_, at(line) + step * kFour, kFour * depth_);
    std::array<float*, kCount> to{};
    for (std::int64_t i = 0; i < kCount; ++i) to[i] = at(line + i * kFour);
    for (const T* from = from_ + step * stride_ + line; step < end; ++step, from += stride_)
      for (std::int64_t i = 0; i < kCount; ++i) turning::store(turning::load(from + i * kFour), to[i] + step * tile_);
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
