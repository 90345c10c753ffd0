// Built where oneDNN is not: it serves nothing.
#include "engine/kernels/product_backends.h"

namespace phasor::kernels {

ProductBackend onednn_products() {
  return {.name = "onednn",
          .serves = [](const ProductShape&) { return false; },
          .scratch_bytes = [](const ProductShape&) -> std::int64_t { return 0; },
          .make = [](const ProductShape&, int) -> std::unique_ptr<Product> { return nullptr; }};
}

std::int64_t onednn_packed_b_bytes(const ProductShape&) { return 0; }
void onednn_pack_b(const ProductShape&, const void*, void*) {}

}  // namespace phasor::kernels
