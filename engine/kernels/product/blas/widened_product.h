// Products of bfloat16 by a library that multiplies float32 alone: tile by tile, widened in scratch. Widening moves
// (m + n) k elements for a product of m n k steps.
#pragma once

#include "engine/kernels/product/blas/blas_product.h"

namespace phasor::kernels {

bool is_for_widening(const ProductShape& shape);
std::int64_t widened_scratch_bytes(const ProductShape& shape);
std::unique_ptr<Product> widened_product(std::string_view backend, Sgemm sgemm, const ProductShape& shape);

}  // namespace phasor::kernels
