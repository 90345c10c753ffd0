// Lines that lie side by side, to panels: a step's floats of a tile are next to each other there as here.
#pragma once

#include <array>

#include "engine/kernels/product/panels/copied_lines.h"

namespace phasor::kernels {

template <class T>
class SideBySide {
 public:
  explicit SideBySide(const CopiedLines<T>& copied) : c_(copied) {}

  void copy() const {
    if constexpr (kWide == kFour * kFour)
      if (c_.tile == kFour) return copy_blocks();
    for (std::int64_t step = 0; step < c_.depth; step += kStepsAtATime) {
      const std::int64_t end = std::min(c_.depth, step + kStepsAtATime);
      if (c_.tile % (2 * kWide) == 0) {
        copy_vectors<2>(step, end);
      } else if (c_.tile % kWide == 0) {
        copy_vectors<1>(step, end);
      } else if (c_.tile == kSix && turning::kEight > kSix) {
        copy_sixes(step, end);
      } else {
        copy_by_fours(0, step, end);
      }
    }
  }

 private:
  static constexpr std::int64_t kAhead = 32;  // floats that are fetched ahead of those that are copied
  static constexpr std::int64_t kFour = turning::kFour, kSix = turning::kSix, kWide = turning::kWide;

  // Tiles of four, straight through the lines four steps at a time, which processors with such vectors see coming.
  void copy_blocks() const {
    const std::int64_t lines = c_.lines / kWide * kWide, steps = c_.depth / kFour * kFour;
    for (std::int64_t step = 0; step < steps; step += kFour)
      for (std::int64_t line = 0; line < lines; line += kWide)
        turning::turn_blocks(c_.from + step * c_.stride + line, c_.stride, c_.panels + line * c_.depth + step * kFour,
                             kFour * c_.depth);
    copy_by_fours(lines, 0, steps);
    copy_by_fours(0, steps, c_.depth);
  }

  // Steps [step, end) of lines in tiles of so many vectors, or several times as many.
  template <std::int64_t kVectors>
  void copy_vectors(std::int64_t step, std::int64_t end) const {
    const std::int64_t stride = c_.stride, tile = c_.tile;
    for (std::int64_t line = 0; line < c_.lines; line += kVectors * kWide) {
      const T* const from = c_.from + line;
      float* const to = c_.panels + line / tile * tile * c_.depth + line % tile;
      for (std::int64_t i = step; i < end; ++i) {
        turning::fetch(from + i * stride + kAhead);
        for (std::int64_t place = 0; place < kVectors * kWide; place += kWide)
          vectors::store(vectors::load(from + i * stride + place), to + i * tile + place);
      }
    }
  }

  // Eight floats for six: the two others are written over by the next step's. The last step, behind which is the next
  // panel or nothing at all, is copied as fours, and so is the last panel: only what is to be copied is read.
  void copy_sixes(std::int64_t step, std::int64_t end) const {
    const std::int64_t stride = c_.stride;
    for (std::int64_t line = 0; line < c_.lines; line += kSix) {
      const T* const from = c_.from + line;
      float* const panel = c_.panels + line * c_.depth;
      const bool fetches = line / kSix % 2 == 0;  // a cache line has more than two panels' floats
      const std::int64_t last = line + kSix == c_.lines ? step : std::min(end, c_.depth - 1);
      for (std::int64_t i = step; i < last; ++i) {
        if (fetches) turning::fetch(from + i * stride + kAhead);
        turning::store(turning::load(turning::kEightFloats, from + i * stride), turning::kEightFloats,
                       panel + i * kSix);
      }
      for (std::int64_t i = last; i < end; ++i)
        for (const std::int64_t place : {std::int64_t{0}, kSix - turning::kFour})
          copy_four(from + i * stride + place, panel + i * kSix + place);
    }
  }

  // Lines from the panel on that begins with `first`, a cache line of floats at a time, or nearly.
  void copy_by_fours(std::int64_t first, std::int64_t step, std::int64_t end) const {
    constexpr std::size_t kAtATime = 4;
    std::array<Fours, kAtATime> together;
    std::size_t count = 0;
    for (Fours fours{.line = first, .panel = c_.panels + first * c_.depth}; fours.line < c_.lines;
         fours = c_.after(fours)) {
      together[count++] = fours;
      if (count < kAtATime) continue;
      copy_fours<kAtATime>(together, step, end);
      count = 0;
    }
    for (std::size_t i = 0; i < count; ++i) copy_fours<1>({together[i]}, step, end);
  }

  // Steps [step, end) of some lines.
  template <std::size_t kCount>
  void copy_fours(const std::array<Fours, kCount>& fours, std::int64_t step, std::int64_t end) const {
    std::array<const T*, kCount> from{};
    std::array<float*, kCount> to{};
    for (std::size_t i = 0; i < kCount; ++i) {
      from[i] = c_.from + fours[i].line;
      to[i] = fours[i].panel + fours[i].place;
    }
    for (const std::int64_t stride = c_.stride, tile = c_.tile; step < end; ++step) {
      turning::fetch(from[0] + step * stride + kAhead);
      for (std::size_t i = 0; i < kCount; ++i) copy_four(from[i] + step * stride, to[i] + step * tile);
    }
  }

  static void copy_four(const T* from, float* to) {
    turning::store(turning::load(turning::kFloats, from), turning::kFloats, to);
  }

  CopiedLines<T> c_;
};

}  // namespace phasor::kernels
