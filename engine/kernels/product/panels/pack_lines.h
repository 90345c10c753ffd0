// Copies of operands to panels, as the kernels of libraries take them.
#pragma once

#include <cstdint>

#include "engine/base/dtype.h"

namespace phasor::kernels {

// An operand's lines, rows of a or columns of b, each a value for every step of k. They lie one after the other,
// `stride` elements apart, or side by side, their steps `stride` elements apart.
struct Lines {
  const void* data = nullptr;
  DType type = DType::f32;  // or bf16
  std::int64_t stride = 0;
  bool side_by_side = false;
};

// Those that are copied: `count` lines, `depth` steps of each.
struct LineRange {
  std::int64_t line = 0, count = 0;
  std::int64_t step = 0, depth = 0;
};

// Writes panels of `tile` lines, four or more: [panel][depth][tile] of f32. Zeros fill up the last one.
void pack_lines(const Lines& from, const LineRange& range, std::int64_t tile, float* panels);

}  // namespace phasor::kernels
