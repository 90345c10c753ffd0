#include "engine/kernels/product/panels/pack_lines.h"

#include <algorithm>
#include <array>

#include "engine/base/bfloat16.h"
#include "engine/kernels/product/panels/turn_lines.h"

namespace phasor::kernels {

namespace {

using turning::kFour, turning::kWide;

// Lines side by side are read so many steps at a time: each step lies in a page of its own, where no processor sees the
// next lines coming. They are fetched so many ahead.
constexpr std::int64_t kSteps = 16, kAhead = 32;

// Four lines of a panel. Where a tile is not of whole fours, its last ones are copied twice, with those before them.
struct Fours {
  std::int64_t line = 0, place = 0;  // from the first of all, and from the first of their panel
  float* panel = nullptr;
};

template <class T>
class Packer {
 public:
  Packer(const T* from, const Lines& lines, std::int64_t depth, std::int64_t tile, float* panels)
      : from_(from), stride_(lines.stride), depth_(depth), tile_(tile), panels_(panels) {}

  void pack_side_by_side(std::int64_t lines) const {
    for (std::int64_t step = 0; step < depth_; step += kSteps) {
      const std::int64_t end = std::min(depth_, step + kSteps);
      if (tile_ % kWide == 0) {
        pack_vectors(lines, step, end);
      } else {
        pack_by_fours(lines, step, end);
      }
    }
  }

  // The next tile's lines are fetched ahead: each is read for so few steps that no processor sees them coming.
  void pack_one_after_another(std::int64_t lines) const {
    for (Fours fours{.panel = panels_}; fours.line < lines; fours = after(fours)) {
      const T* const from = from_ + fours.line * stride_;
      float* const to = fours.panel + fours.place;
      std::int64_t step = 0;
      if (tile_ == kFour)
        for (; step + kWide <= depth_; step += kWide) turning::turn_wide(from + step, stride_, to + step * kFour);
      for (; step + kFour <= depth_; step += kFour) {
        if (step % kSteps == 0)
          for (std::int64_t i = 0; i < kFour; ++i) turning::fetch(from + (tile_ + i) * stride_ + step);
        turning::turn(from + step, stride_, to + step * tile_, tile_);
      }
      for (; step < depth_; ++step)
        for (std::int64_t i = 0; i < kFour; ++i) to[step * tile_ + i] = to_float(from[i * stride_ + step]);
    }
  }

  // Of the panel that begins with `line`, as many as there are.
  void pack_last(std::int64_t line, std::int64_t count, bool side_by_side) const {
    float* const to = panels_ + line * depth_;
    for (std::int64_t step = 0; step < depth_; ++step)
      for (std::int64_t i = 0; i < tile_; ++i) {
        const std::int64_t place = side_by_side ? step * stride_ + line + i : (line + i) * stride_ + step;
        to[step * tile_ + i] = i < count ? to_float(from_[place]) : 0.0f;
      }
  }

 private:
  Fours after(const Fours& f) const {
    const std::int64_t left = tile_ - f.place - kFour, by = left == 0 ? kFour : std::min(kFour, left);
    if (left > 0) return {.line = f.line + by, .place = f.place + by, .panel = f.panel};
    return {.line = f.line + by, .place = 0, .panel = f.panel + tile_ * depth_};
  }

  // Steps [step, end) of lines in tiles of whole vectors.
  void pack_vectors(std::int64_t lines, std::int64_t step, std::int64_t end) const {
    for (std::int64_t line = 0; line < lines; line += tile_) {
      float* const panel = panels_ + line * depth_;
      for (std::int64_t i = step; i < end; ++i) {
        const T* const from = from_ + i * stride_ + line;
        turning::fetch(from + kAhead);
        for (std::int64_t place = 0; place < tile_; place += kWide)
          vectors::store(vectors::load(from + place), panel + i * tile_ + place);
      }
    }
  }

  // A cache line of floats at a time, or nearly.
  void pack_by_fours(std::int64_t lines, std::int64_t step, std::int64_t end) const {
    constexpr std::size_t kAtATime = 4;
    std::array<Fours, kAtATime> together;
    std::size_t count = 0;
    for (Fours fours{.panel = panels_}; fours.line < lines; fours = after(fours)) {
      together[count++] = fours;
      if (count < kAtATime) continue;
      pack_fours<kAtATime>(together, step, end);
      count = 0;
    }
    for (std::size_t i = 0; i < count; ++i) pack_fours<1>({together[i]}, step, end);
  }

  // Steps [step, end) of some lines.
  template <std::size_t kCount>
  void pack_fours(const std::array<Fours, kCount>& fours, std::int64_t step, std::int64_t end) const {
    if constexpr (kCount == kFour && kCount * kFour == kWide)
      if (tile_ == kFour)
        for (; step + kFour <= end; step += kFour)
          turning::turn_blocks(from_ + step * stride_ + fours[0].line, stride_, fours[0].panel + step * kFour,
                               kFour * depth_);
    std::array<const T*, kCount> from{};
    std::array<float*, kCount> to{};
    for (std::size_t i = 0; i < kCount; ++i) {
      from[i] = from_ + fours[i].line;
      to[i] = fours[i].panel + fours[i].place;
    }
    for (; step < end; ++step) {
      turning::fetch(from[0] + step * stride_ + kAhead);
      for (std::size_t i = 0; i < kCount; ++i)
        turning::store(turning::load(from[i] + step * stride_), to[i] + step * tile_);
    }
  }

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
