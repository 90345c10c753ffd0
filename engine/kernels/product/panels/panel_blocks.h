// How a product by panels is cut into blocks of c: by its sizes and the kernel. The number of threads may make blocks
// smaller, which no bit shows.
#pragma once

#include "engine/kernels/product/panels/panel_kernel.h"
#include "engine/kernels/product/product.h"

namespace phasor::kernels {

constexpr std::int64_t pieces(std::int64_t size, std::int64_t part) { return (size + part - 1) / part; }

// The size in whole parts.
constexpr std::int64_t whole_parts(std::int64_t size, std::int64_t part) { return pieces(size, part) * part; }

// Bits depend on the last two, so these follow from n and k alone.
struct PanelBlocks {
  std::int64_t rows = 0, columns = 0;  // of a block of c, whole tiles; those of the last may be less
  std::int64_t columns_at_a_time = 0;  // of a block, that one call of the kernel makes
  std::int64_t depth = 0;              // steps of k between two additions to c
};

PanelBlocks panel_blocks(const PanelKernel& kernel, const ProductShape& shape, int threads = 1);

}  // namespace phasor::kernels
