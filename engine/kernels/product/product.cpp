#include "engine/kernels/product/product.h"

#include <algorithm>
#include <array>

#include "engine/base/error.h"
#include "engine/kernels/product/product_backends.h"

namespace phasor::kernels {

std::span<const ProductBackend> product_backends() {
  static const std::array kBackends{onednn_products(), onednn_copied_products(), openblas_products(),
                                    blis_products(),   eigen_products(),         reference_products()};
  return kBackends;
}

ProductShape whole(ProductShape s) {
  const auto complete = [](std::int64_t& stride, std::int64_t columns) {
    if (stride == 0) stride = columns;
    ensure(stride >= columns, "product: rows of {} elements are only {} apart", columns, stride);
  };
  complete(s.lda, s.transpose_a ? s.m : s.k);
  complete(s.ldb, s.transpose_b ? s.k : s.n);
  complete(s.ldc, s.n);
  ensure(s.operands == DType::f32 || s.operands == DType::bf16, "product: operands are {}", name_of(s.operands));
  ensure(s.result == DType::f32 || (s.result == DType::bf16 && s.operands == DType::bf16),
         "product: the result of {} is {}", name_of(s.operands), name_of(s.result));
  ensure(!s.accumulate || s.result == DType::f32, "product: accumulates in {}", name_of(s.result));
  return s;
}

const ProductBackend& backend_of(const ProductShape& s) {
  const auto all = product_backends();
  const auto found = std::ranges::find_if(all, [&](const ProductBackend& backend) { return backend.serves(s); });
  ensure(found != all.end(), "product: nothing multiplies {} x {} x {}, packed_b {}", s.m, s.n, s.k, s.packed_b);
  return *found;
}

std::unique_ptr<Product> make_product(const ProductShape& shape, int workers) {
  const ProductShape s = whole(shape);
  return backend_of(s).make(s, workers);
}

std::int64_t product_scratch_bytes(const ProductShape& shape) {
  const ProductShape s = whole(shape);
  return backend_of(s).scratch_bytes(s);
}

std::int64_t packed_b_bytes(const ProductShape& shape) { return onednn_packed_b_bytes(whole(shape)); }

std::unique_ptr<Packing> make_packing(const ProductShape& shape) { return onednn_packing(whole(shape)); }

}  // namespace phasor::kernels
