// Panels multiplied, whether they are whole tiles or not.
#pragma once

#include "engine/kernels/product/panels/panel_kernel.h"

namespace phasor::kernels {

// What is added to, or begun: rows x columns of sums, `stride` apart, from panels of `depth` steps.
struct PanelPart {
  std::int64_t rows = 0, columns = 0, depth = 0;
  const float *a = nullptr, *b = nullptr;
  float* sums = nullptr;
  std::int64_t stride = 0;
  bool begins = false;  // by a kernel that can
};

// sums += a b, or = a b. Edges are made whole in `edge`, which holds the larger of a tile's rows by all columns and all
// rows, in whole tiles, by a tile's columns.
void multiply_tiles(const PanelKernel& kernel, const PanelPart& part, float* edge);

}  // namespace phasor::kernels
