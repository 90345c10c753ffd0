// How a product is cut into pieces, each a product on one thread: by its sizes and its backend, never by the number of
// threads, so that bits do not depend on it.
#pragma once

#include "engine/kernels/product/product_backends.h"

namespace phasor::kernels {

// The size of a piece of c; those of the last row and the last column of pieces may be less.
struct Cut {
  std::int64_t rows = 0, columns = 0;

  friend bool operator==(const Cut&, const Cut&) = default;
};

// Pieces of whole rows: as many, up to sixteen, as repay handing them out.
Cut rows_cut(const ProductShape& shape);

// Pieces near the size of the tile: smaller ones where they would be less than four, larger ones where little is to do.
Cut tile_cut(const ProductShape& shape, const Tile& tile);

// As the backend of the shape wants it.
Cut cut_of(const ProductShape& shape);

}  // namespace phasor::kernels
