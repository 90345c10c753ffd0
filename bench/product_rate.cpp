#include "bench/product_rate.h"

#include "bench/timing.h"
#include "engine/base/parallel.h"

namespace phasor::bench {

std::vector<ProductSize> heaviest_products(const Stages& stages) {
  std::vector<ProductSize> heaviest;
  double most_flops = 0;
  for (const Stage& stage : stages) {
    std::vector<ProductSize> products;
    double flops = 0;
    for (const Node& node : stage.graph.nodes) {
      if (node.op != Op::matmul) continue;
      const Shape& y = stage.graph.spec(node.outputs[0]).shape;
      const std::int64_t n = y[y.rank() - 1], m = y.elements() / n;
      const std::int64_t k = stage.graph.spec(node.inputs[0]).elements() / m;
      products.push_back({.m = m, .n = n, .k = k, .transpose_b = true});  // y = x w'
      flops += stage.instances * products.back().flops();
      products.push_back({.m = m, .n = k, .k = n});                       // dx = dy w
      products.push_back({.m = n, .n = k, .k = m, .transpose_a = true});  // dw = dy' x
    }
    if (flops <= most_flops) continue;
    most_flops = flops;
    heaviest = std::move(products);
  }
  return heaviest;
}

ProductRate::ProductRate(const std::vector<ProductSize>& sizes, DType precision, int threads) : threads_(threads) {
  for (const ProductSize& size : sizes) products_.push_back({TimedProduct(size, precision, threads), {}});
  set_threads(threads_);
  for (Timed& timed : products_) timed.product.run();  // the first run also touches memory
}

void ProductRate::sample() {
  set_threads(threads_);
  for (Timed& timed : products_) timed.seconds.push_back(seconds_of([&] { timed.product.run(); }));
}

double ProductRate::flops_per_second() const {
  double flops = 0, seconds = 0;
  for (const Timed& timed : products_) {
    flops += timed.product.size().flops();
    seconds += median(timed.seconds);
  }
  return seconds > 0 ? flops / seconds : 0;
}

}  // namespace phasor::bench
