// How fast the matrix products of a model are alone: a limit that its training is measured against.
#pragma once

#include <string>
#include <vector>

#include "bench/timed_product.h"
#include "engine/ir/stage.h"

namespace phasor::bench {

// The products that training takes for a micro-batch in the kind of stage, its instances together, that has most of
// them: of each linear the forward product, the gradient of its input and the gradient of its weight.
std::vector<ProductSize> heaviest_products(const Stages& stages);

// Of several products one after the other: each counts by its share of the work.
struct BackendRate {
  std::string backends;         // "onednn"; "onednn, openblas" where not all are by the same, most work first
  double flops_per_second = 0;  // 0: there are no products
};

class ProductRate {
 public:
  // `sizes` may repeat; the threads are those of the run.
  ProductRate(const std::vector<ProductSize>& sizes, DType precision, int threads,
              std::span<const kernels::ProductBackend> backends = kernels::product_backends());

  // Times every product once more, on the calling thread and a team of `threads`. Samples taken before and after a
  // measurement see the same machine as it does, even if its clock wanders.
  void sample();

  BackendRate own() const;   // as training takes them
  BackendRate best() const;  // each by the backend that is best for it
  // A line for each shape that another backend takes faster than the one that serves it.
  std::vector<std::string> notes() const;

 private:
  struct Repeated {
    TimedProduct product;
    double times;
  };
  BackendRate rate(TimedProduct::Time (TimedProduct::*time)() const) const;

  int threads_;
  std::vector<Repeated> products_;
};

// Says that another backend takes the product faster than its own; empty where none does.
std::string note_of(const TimedProduct& product);

}  // namespace phasor::bench
