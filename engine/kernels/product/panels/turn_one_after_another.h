// Lines that lie one after the other, to panels: rows of steps become rows of lines.
#pragma once

#include "engine/kernels/product/panels/copied_lines.h"

namespace phasor::kernels {

template <class T>
class OneAfterAnother {
 public:
  explicit OneAfterAnother(const CopiedLines<T>& copied) : c_(copied) {}

  // The next tile's lines are fetched ahead: each is read for so few steps that no processor sees them coming.
  void turn() const {
    if (c_.tile == kSix) return turn_sixes();
    const std::int64_t stride = c_.stride, depth = c_.depth, tile = c_.tile;
    for (Fours fours{.panel = c_.panels}; fours.line < c_.lines; fours = c_.after(fours)) {
      const T* const from = c_.from + fours.line * stride;
      float* const to = fours.panel + fours.place;
      std::int64_t step = 0;
      if (tile == kFour)
        for (; step + turning::kWide <= depth; step += turning::kWide) {
          fetch_next(from + step, kFour);
          turning::turn_wide(from + step, stride, to + step * kFour);
        }
      for (; step + turning::kEight <= depth; step += turning::kEight) {
        if (step % kStepsAtATime == 0) fetch_next(from + step, kFour);
        turning::turn(from + step, stride, to + step * tile, tile);
      }
      turn_last(from, kFour, step, to);
    }
  }

 private:
  static constexpr std::int64_t kFour = turning::kFour, kSix = turning::kSix;

  void turn_sixes() const {
    const std::int64_t stride = c_.stride, depth = c_.depth;
    for (std::int64_t line = 0; line < c_.lines; line += kSix) {
      const T* const from = c_.from + line * stride;
      float* const to = c_.panels + line * depth;
      std::int64_t step = 0;
      for (; step + turning::kEight <= depth; step += turning::kEight) {
        if (step % kStepsAtATime == 0) fetch_next(from + step, kSix);
        turning::turn_six(from + step, stride, to + step * kSix);
      }
      turn_last(from, kSix, step, to);
    }
  }

  void fetch_next(const T* from, std::int64_t lines) const {
    for (std::int64_t i = 0; i < lines; ++i) turning::fetch(from + (c_.tile + i) * c_.stride);
  }

  // Steps from `step` on.
  void turn_last(const T* from, std::int64_t lines, std::int64_t step, float* to) const {
    for (; step < c_.depth; ++step)
      for (std::int64_t i = 0; i < lines; ++i) to[step * c_.tile + i] = to_float(from[i * c_.stride + step]);
  }

  CopiedLines<T> c_;
};

}  // namespace phasor::kernels
