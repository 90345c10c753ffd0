#include "engine/kernels/product/product.h"

#include <algorithm>
#include <array>

#include "engine/base/error.h"
#include "engine/kernels/product/product_backends.h"
#include "engine/kernels/product/product_table.h"

namespace phasor::kernels {

std::span<const ProductBackend> product_backends() {
  static const std::array kBackends{onednn_products(),   openblas_panel_products(),   onednn_copied_products(),
                                    openblas_products(), openblas_widened_products(), blis_panel_products(),
                                    blis_products(),     blis_small_products(),       eigen_products(),
                                    reference_products()};
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

namespace {

// "onednn" is also "onednn, copied", "openblas" is "openblas, in panels", else "openblas, as it lies" or "openblas,
// widened", "blis" likewise.
const ProductBackend* serving(std::string_view name, const ProductShape& s) {
  for (const ProductBackend& backend : product_backends())
    if (backend.name.starts_with(name) && backend.serves(s)) return &backend;
  return nullptr;
}

// That for which b is packed, whatever is multiplied by it: the layout does not depend on that.
ProductShape packing_shape(const ProductShape& shape) {
  constexpr std::int64_t kRows = 512;
  ProductShape s = shape;
  s.m = kRows;
  s.lda = s.ldc = 0;
  s.packed_b = s.accumulate = s.bias = s.transpose_a = false;
  return whole(s);
}

std::string_view library_of(const ProductBackend& backend) { return backend.name.substr(0, backend.name.find(',')); }

}  // namespace

const ProductBackend& backend_of(const ProductShape& s) {
  if (s.packed_b) {
    const ProductBackend* packer = serving(library_of(backend_of(packing_shape(s))), s);
    ensure(packer != nullptr, "product: nothing multiplies {} x {} x {}, packed", s.m, s.n, s.k);
    return *packer;
  }
  const ProductBackend* found = s.backend.empty() ? nullptr : serving(s.backend, s);
  for (std::string_view name : preferred_backends(instruction_set(), s.operands, class_of(s)))
    if (found == nullptr) found = serving(name, s);
  if (found == nullptr) found = serving("reference", s);
  ensure(found != nullptr, "product: nothing multiplies {} x {} x {}", s.m, s.n, s.k);
  return *found;
}

bool widens_bfloat16() { return !has_fast_bfloat16(instruction_set()); }

bool has_backend(std::string_view name) {
  constexpr ProductShape kAny{.m = 64, .n = 64, .k = 64};
  return serving(name, whole(kAny)) != nullptr;
}

std::string instruction_row() {
  constexpr std::int64_t kLarge = 512;
  ProductShape s{.m = kLarge, .n = kLarge, .k = kLarge};
  const auto library = [&] { return std::string(library_of(backend_of(whole(s)))); };
  const std::string of_float32 = library();
  s.operands = s.result = DType::bf16;
  return "float32 by " + of_float32 + ", bfloat16 by " + library() + " on " + std::string(name_of(instruction_set()));
}

std::unique_ptr<Product> make_product(const ProductShape& shape, int workers) {
  const ProductShape s = whole(shape);
  return backend_of(s).make(s, workers);
}

std::unique_ptr<TeamProduct> make_team_product(const ProductShape& shape, int workers) {
  const ProductShape s = whole(shape);
  const ProductBackend& backend = backend_of(s);
  return backend.make_team == nullptr ? nullptr : backend.make_team(s, workers);
}

std::int64_t product_scratch_bytes(const ProductShape& shape) {
  const ProductShape s = whole(shape);
  return backend_of(s).scratch_bytes(s);
}

std::int64_t packed_b_bytes(const ProductShape& shape) {
  const ProductShape s = packing_shape(whole(shape));
  const ProductBackend& backend = backend_of(s);
  return s.n == 0 || s.k == 0 || backend.packed_b_bytes == nullptr ? 0 : backend.packed_b_bytes(s);
}

bool packing_keeps_bits(const ProductShape& shape) {
  ProductShape s = whole(shape);
  s.packed_b = false;
  const ProductBackend& as_it_lies = backend_of(s);
  s.packed_b = true;
  return as_it_lies.packing_keeps_bits && &as_it_lies == &backend_of(s);
}

std::unique_ptr<Packing> make_packing(const ProductShape& shape) {
  const ProductShape s = packing_shape(whole(shape));
  const ProductBackend& backend = backend_of(s);
  ensure(backend.make_packing != nullptr, "product: {} packs no {} x {}", backend.name, s.k, s.n);
  return backend.make_packing(s);
}

}  // namespace phasor::kernels
