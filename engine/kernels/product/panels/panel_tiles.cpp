#include "engine/kernels/product/panels/panel_tiles.h"

#include <algorithm>

#include "engine/kernels/product/panels/panel_blocks.h"

namespace phasor::kernels {

namespace {

PanelKernel::Multiply multiply_of(const PanelKernel& kernel, const PanelPart& part) {
  return part.begins ? kernel.begin : kernel.multiply;
}

// By way of `edge`, which has whole tiles.
void multiply_edge(const PanelKernel& kernel, const PanelPart& p, float* edge) {
  const std::int64_t rows = whole_parts(p.rows, kernel.rows), columns = whole_parts(p.columns, kernel.columns);
  if (!p.begins) std::fill_n(edge, rows * columns, 0.0f);
  multiply_of(kernel, p)(columns, rows, p.depth, 1, p.b, p.a, edge, columns);
  for (std::int64_t i = 0; i < p.rows; ++i)
    for (std::int64_t j = 0; j < p.columns; ++j) {
      float& sum = p.sums[i * p.stride + j];
      sum = p.begins ? edge[i * columns + j] : sum + edge[i * columns + j];
    }
}

}  // namespace

// Whole tiles and edges by calls of their own, whatever the rows: a call may sum its first and last columns otherwise.
void multiply_tiles(const PanelKernel& kernel, const PanelPart& whole, float* edge) {
  const std::int64_t rows = whole.rows / kernel.rows * kernel.rows;
  const std::int64_t columns = whole.columns / kernel.columns * kernel.columns;
  for (const bool right : {false, true})
    for (const bool below : {false, true}) {
      PanelPart part = whole;
      part.rows = below ? whole.rows - rows : rows;
      part.columns = right ? whole.columns - columns : columns;
      if (part.rows == 0 || part.columns == 0) continue;
      part.sums += (below ? rows * whole.stride : 0) + (right ? columns : 0);
      part.a += below ? rows * whole.depth : 0;
      part.b += right ? columns * whole.depth : 0;
      if (right || below) {
        multiply_edge(kernel, part, edge);
      } else {
        multiply_of(kernel, part)(columns, rows, part.depth, 1, part.b, part.a, part.sums, part.stride);
      }
    }
}

}  // namespace phasor::kernels
