// What a product by a library that only adds finds in c.
#pragma once

#include "engine/kernels/product/product.h"

namespace phasor::kernels {

// c = bias, or 0 without one; where the product accumulates, bias is added to what c holds.
void start_sum(const ProductShape& shape, const float* bias, float* c);

}  // namespace phasor::kernels
