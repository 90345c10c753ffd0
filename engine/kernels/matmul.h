// Matrix product on the whole team. Row-major; m, n, k are the product's sizes, whatever way its operands are stored.
#pragma once

#include <array>
#include <span>

#include "engine/kernels/product/product.h"
#include "engine/kernels/product_cut.h"

namespace phasor::kernels {

// A product of dense matrices (lda = ldb = ldc = 0), cut into pieces by its sizes alone, so that its bits do not depend
// on the number of threads.
class Matmul {
 public:
  // For teams of at most `workers` threads.
  Matmul(const ProductShape& shape, int workers);

  std::int64_t scratch_bytes() const;  // of all workers, and of b where it is packed first
  std::string_view backend() const { return team_ ? team_->backend() : pieces_[0]->backend(); }

  // bias: null where the shape has none. scratch: scratch_bytes() from a multiple of 64 on. One run at a time.
  void run(const void* a, const void* b, const float* bias, void* c, std::span<std::byte> scratch) const;

 private:
  std::int64_t worker_bytes() const;

  ProductShape shape_;
  int workers_;
  Cut cut_;
  std::int64_t packed_bytes_;          // of scratch, where b is packed first; else 0
  std::unique_ptr<Packing> packing_;   // null where it is not
  std::unique_ptr<TeamProduct> team_;  // where the backend has one; there are no pieces then
  // Of whole pieces, of the last of a column, of a row and of both; null where they are as the others.
  std::array<std::unique_ptr<Product>, 4> pieces_;
};

// Matmul(shape, workers).scratch_bytes(), without preparing anything expensive.
std::int64_t matmul_scratch_bytes(const ProductShape& shape, int workers);

}  // namespace phasor::kernels
