// How fast the matrix products of a model are alone: the limit that its training is measured against.
#pragma once

#include <vector>

#include "bench/timed_product.h"
#include "engine/ir/stage.h"

namespace phasor::bench {

// The products that training takes for a micro-batch in the kind of stage, its instances together, that has most of
// them: of each linear the forward product, the gradient of its input and the gradient of its weight.
std::vector<ProductSize> heaviest_products(const Stages& stages);

class ProductRate {
 public:
  // `sizes` may repeat; the threads are those of the run.
  ProductRate(const std::vector<ProductSize>& sizes, DType precision, int threads);

  // Times every product once more, on the calling thread and a team of `threads`. Samples taken before and after a
  // measurement see the same machine as it does, even if its clock wanders.
  void sample();

  // The work of all products over the sum of their median times: each counts by its share of the work.
  double flops_per_second() const;

 private:
  struct Timed {
    TimedProduct product;
    std::vector<double> seconds;
  };
  int threads_;
  std::vector<Timed> products_;
};

}  // namespace phasor::bench
