// Products of matrices that are not dense, by a backend that takes dense ones only: through copies in scratch. Copying
// moves (m + n) k elements for a product of m n k steps.
#include <cstring>
#include <utility>

#include "engine/kernels/product/product_backends.h"

namespace phasor::kernels {

namespace {

// A stored matrix, and where in scratch its dense copy goes.
struct Copied {
  std::int64_t rows = 0, columns = 0, stride = 0, element_bytes = 0;

  bool needed() const { return stride != columns; }
  std::int64_t row_bytes() const { return columns * element_bytes; }
  std::int64_t bytes() const { return needed() ? whole_lines(rows * row_bytes()) : 0; }

  void gather(const void* from, std::byte* to) const {
    for (std::int64_t i = 0; i < rows; ++i)
      std::memcpy(to + i * row_bytes(), static_cast<const std::byte*>(from) + i * stride * element_bytes, row_bytes());
  }
  void scatter(const std::byte* from, void* to) const {
    for (std::int64_t i = 0; i < rows; ++i)
      std::memcpy(static_cast<std::byte*>(to) + i * stride * element_bytes, from + i * row_bytes(), row_bytes());
  }
};

struct Copies {
  explicit Copies(const ProductShape& s)
      : a{.rows = s.transpose_a ? s.k : s.m,
          .columns = s.transpose_a ? s.m : s.k,
          .stride = s.lda,
          .element_bytes = size_of(s.operands)},
        b{.rows = s.transpose_b ? s.n : s.k,
          .columns = s.transpose_b ? s.k : s.n,
          .stride = s.packed_b ? (s.transpose_b ? s.k : s.n) : s.ldb,
          .element_bytes = size_of(s.operands)},
        c{.rows = s.m, .columns = s.n, .stride = s.ldc, .element_bytes = size_of(s.result)} {}

  bool needed() const { return a.needed() || b.needed() || c.needed(); }
  std::int64_t bytes() const { return a.bytes() + b.bytes() + c.bytes(); }

  Copied a, b, c;
};

ProductShape dense(ProductShape s) {
  s.lda = s.ldb = s.ldc = 0;
  return whole(s);
}

class CopiedProduct final : public Product {
 public:
  CopiedProduct(const ProductShape& shape, std::unique_ptr<Product> product)
      : copies_(shape), accumulate_(shape.accumulate), product_(std::move(product)) {}

  std::string_view backend() const override { return product_->backend(); }
  std::int64_t scratch_bytes() const override { return copies_.bytes() + product_->scratch_bytes(); }

  void run(int worker, const void* a, const void* b, const float* bias, void* c, std::byte* scratch) const override {
    std::byte* free = scratch;
    const auto gathered = [&free](const Copied& matrix, const void* from) -> const void* {
      if (!matrix.needed()) return from;
      std::byte* const to = std::exchange(free, free + matrix.bytes());
      matrix.gather(from, to);
      return to;
    };
    a = gathered(copies_.a, a);
    b = gathered(copies_.b, b);
    if (!copies_.c.needed()) return product_->run(worker, a, b, bias, c, free);
    std::byte* const result = std::exchange(free, free + copies_.c.bytes());
    if (accumulate_) copies_.c.gather(c, result);
    product_->run(worker, a, b, bias, result, free);
    copies_.c.scatter(result, c);
  }

 private:
  Copies copies_;
  bool accumulate_;
  std::unique_ptr<Product> product_;
};

}  // namespace

ProductBackend onednn_copied_products() {
  return {.name = "onednn, copied",
          .serves = [](const ProductShape& s) { return Copies(s).needed() && onednn_products().serves(dense(s)); },
          .scratch_bytes =
              [](const ProductShape& s) { return Copies(s).bytes() + onednn_products().scratch_bytes(dense(s)); },
          .make = [](const ProductShape& s, int workers) -> std::unique_ptr<Product> {
            return std::make_unique<CopiedProduct>(s, onednn_products().make(dense(s), workers));
          },
          .packed_b_bytes = onednn_products().packed_b_bytes,
          .make_packing = onednn_products().make_packing};
}

}  // namespace phasor::kernels
