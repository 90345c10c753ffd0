#include "bench/product_rate.h"

#include "bench/timing.h"
#include "engine/base/parallel.h"
#include "models/bert/flops.h"

namespace phasor::bench {

std::vector<ProductSize> layer_products(const bert::Config& config, std::int64_t micro_batch_size) {
  const std::int64_t tokens = micro_batch_size * config.sequence_length;
  std::vector<ProductSize> products;
  for (const auto& [inputs, outputs] : bert::layer_linears(config)) {
    products.push_back({.m = tokens, .n = outputs, .k = inputs, .transpose_b = true});  // y = x w'
    products.push_back({.m = tokens, .n = inputs, .k = outputs});                       // dx = dy w
    products.push_back({.m = outputs, .n = inputs, .k = tokens, .transpose_a = true});  // dw = dy' x
  }
  return products;
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
  return flops / seconds;
}

}  // namespace phasor::bench
