// Matrix product on the whole team. Row-major; m, n, k are the product's sizes, whatever way its operands are stored.
#pragma once

#include <span>
#include <vector>

#include "engine/kernels/product.h"

namespace phasor::kernels {

// A product of dense matrices (lda = ldb = ldc = 0), cut into pieces by its sizes alone, so that its bits do not depend
// on the number of threads.
class Matmul {
 public:
  // For teams of at most `workers` threads.
  Matmul(const ProductShape& shape, int workers);

  std::int64_t scratch_bytes() const;  // of all workers, and of b where it is packed first
  std::string_view backend() const { return piece_->backend(); }

  // bias: null where the shape has none. scratch: scratch_bytes() from a multiple of 64 on. One run at a time.
  void run(const void* a, const void* b, const float* bias, void* c, std::span<std::byte> scratch) const;

 private:
  std::int64_t worker_bytes() const;

  ProductShape shape_;
  int workers_;
  std::int64_t packed_bytes_;              // of scratch, where b is packed first; else 0
  std::unique_ptr<Packing> packing_;       // null where it is not
  std::int64_t rows_;                      // of c in a piece
  std::unique_ptr<Product> piece_, last_;  // last_: null where the last piece is as high as the others
};

// Matmul(shape, workers).scratch_bytes(), without preparing anything expensive.
std::int64_t matmul_scratch_bytes(const ProductShape& shape, int workers);

struct MatmulShape {
  std::int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false;  // a is stored [k, m] instead of [m, k]
  bool transpose_b = false;  // b is stored [n, k] instead of [k, n]
};

// c[m, n] = op(a) op(b). Every element of c is summed in an order that depends on the shape alone.
void matmul(const MatmulShape& shape, std::span<const float> a, std::span<const float> b, std::span<float> c);

}  // namespace phasor::kernels
