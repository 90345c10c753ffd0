// How oneDNN wants the b of many products laid out.
#pragma once

#include <memory>

#include "engine/kernels/product/product.h"

namespace phasor::kernels {

// ProductBackend::packed_b_bytes and make_packing.
std::int64_t onednn_packed_b_bytes(const ProductShape& shape);
std::unique_ptr<Packing> onednn_packing(const ProductShape& shape);

}  // namespace phasor::kernels
