// Built where oneDNN is not: it serves nothing.
#include "engine/kernels/product/product_backends.h"

namespace phasor::kernels {

ProductBackend onednn_products() {
  return {.name = "onednn",
          .serves = [](const ProductShape&) { return false; },
          .scratch_bytes = [](const ProductShape&) -> std::int64_t { return 0; },
          .make = [](const ProductShape&, int) -> std::unique_ptr<Product> { return nullptr; }};
}

std::string onednn_version() { return {}; }

}  // namespace phasor::kernels
