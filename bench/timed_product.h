// How fast a matrix product is as training takes it, and how fast it could be by another backend.
#pragma once

#include "bench/product_ways.h"

namespace phasor::bench {

// c[m, n] = op(a) op(b); transposed operands as in engine/kernels/product/product.h.
struct ProductSize {
  std::int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;

  bool operator==(const ProductSize&) const = default;
};

// As training takes it: operands of type `precision`; so is the result, but for a weight's gradient (transpose_a),
// which is f32. Otherwise b is a weight, and laid out for its products beforehand where that pays.
kernels::ProductShape training_product(const ProductSize& size, DType precision);

class TimedProduct {
 public:
  // Among `backends`, as product_ways has them; those that two runs show to be slower than training's by half are left
  // out. Sets the calling thread's team to `threads`.
  TimedProduct(const kernels::ProductShape& shape, int threads,
               std::span<const kernels::ProductBackend> backends = kernels::product_backends());

  const kernels::ProductShape& shape() const { return shape_; }
  double flops() const;

  // Times a way once more on the calling thread's team; training's is way 0.
  void sample(std::size_t way);
  std::size_t ways() const { return ways_.size(); }
  void sample();  // all ways, one after the other

  struct Time {
    std::string backend;
    double seconds = 0;  // median of the samples
  };
  Time own() const;
  // own(), unless another backend takes less by more than noise: 5 %, of the medians and of the fastest samples.
  Time best() const;

 private:
  struct Timed {
    ProductWay way;
    std::vector<double> seconds;
  };

  kernels::ProductShape shape_;
  std::vector<Timed> ways_;  // training's first
};

}  // namespace phasor::bench
