// One matrix product by the engine's kernel, on random operands: the only place of the benchmarks that knows how
// products are run.
#pragma once

#include "engine/base/dtype.h"
#include "engine/base/tensor.h"

namespace phasor::bench {

// c[m, n] = op(a) op(b); transposed operands as in engine/kernels/matmul.h.
struct ProductSize {
  std::int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;

  double flops() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
};

class TimedProduct {
 public:
  // Operands of type `precision`. Run on teams of at most `threads`.
  TimedProduct(const ProductSize& size, DType precision, int threads);

  const ProductSize& size() const { return size_; }
  void run();  // on the calling thread's team

 private:
  ProductSize size_;
  Tensor a_, b_, c_;
};

}  // namespace phasor::bench
