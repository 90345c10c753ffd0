// One matrix product by the engine's kernel, on random operands: the only place of the benchmarks that knows how
// products are run.
#pragma once

#include "engine/base/tensor.h"
#include "engine/kernels/matmul.h"

namespace phasor::bench {

// c[m, n] = op(a) op(b); transposed operands as in engine/kernels/product/product.h.
struct ProductSize {
  std::int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;

  double flops() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
};

class TimedProduct {
 public:
  // Operands of type `precision`; so is the result, but for a weight's gradient (transpose_a), which is f32. Otherwise
  // b is a weight, and laid out for its products beforehand where that pays. Run on teams of at most `threads`.
  TimedProduct(const ProductSize& size, DType precision, int threads);

  const ProductSize& size() const { return size_; }
  void run();  // on the calling thread's team

 private:
  ProductSize size_;
  kernels::ProductShape shape_;
  kernels::Matmul product_;
  Tensor a_, b_, c_, scratch_;
};

}  // namespace phasor::bench
