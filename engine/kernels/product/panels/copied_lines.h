// What a copy of lines to whole panels knows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/kernels/product/panels/turn_lines.h"

namespace phasor::kernels {

// Lines are read so many steps at a time where they lie side by side: each step lies in a page of its own, where no
// processor sees the next lines coming. Of lines one after the other, the next panel's are fetched as often.
inline constexpr std::int64_t kStepsAtATime = 16;

// Four lines of a panel. Where a tile is not of whole fours, its last ones are copied twice, with those before them.
struct Fours {
  std::int64_t line = 0, place = 0;  // from the first of all, and from the first of their panel
  float* panel = nullptr;
};

// T, float or bfloat16, is what is copied.
template <class T>
struct CopiedLines {
  const T* from;  // step 0 of line 0
  std::int64_t stride, lines, depth, tile;
  float* panels;

  // The four after these, in the same panel or the next one.
  Fours after(const Fours& f) const {
    using turning::kFour;
    const std::int64_t left = tile - f.place - kFour, by = left == 0 ? kFour : std::min(kFour, left);
    if (left > 0) return {.line = f.line + by, .place = f.place + by, .panel = f.panel};
    return {.line = f.line + by, .place = 0, .panel = f.panel + tile * depth};
  }
};

}  // namespace phasor::kernels
