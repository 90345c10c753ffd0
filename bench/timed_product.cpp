#include "bench/timed_product.h"

#include <algorithm>

#include "bench/timing.h"
#include "engine/base/parallel.h"

namespace phasor::bench {

namespace {

constexpr double kNoise = 1.05;
constexpr double kHopeless = 1.5;  // times as long as training's way, the faster of two runs each

}  // namespace

kernels::ProductShape training_product(const ProductSize& size, DType precision) {
  kernels::ProductShape shape{.m = size.m,
                              .n = size.n,
                              .k = size.k,
                              .transpose_a = size.transpose_a,
                              .transpose_b = size.transpose_b,
                              .operands = precision,
                              .result = size.transpose_a ? DType::f32 : precision};
  shape.packed_b = !size.transpose_a && kernels::packed_b_bytes(shape) > 0;
  return shape;
}

TimedProduct::TimedProduct(const kernels::ProductShape& shape, int threads,
                           std::span<const kernels::ProductBackend> backends)
    : shape_(shape) {
  set_threads(threads);
  double own_seconds = 0;
  for (ProductWay& way : product_ways(shape, threads, backends)) {
    const double seconds = std::min(seconds_of(way.run), seconds_of(way.run));
    if (ways_.empty()) own_seconds = seconds;
    if (seconds <= kHopeless * own_seconds) ways_.push_back({std::move(way), {}});
  }
}

double TimedProduct::flops() const {
  return 2.0 * static_cast<double>(shape_.m) * static_cast<double>(shape_.n) * static_cast<double>(shape_.k);
}

void TimedProduct::sample(std::size_t way) { ways_[way].seconds.push_back(seconds_of(ways_[way].way.run)); }

void TimedProduct::sample() {
  for (std::size_t way = 0; way < ways_.size(); ++way) sample(way);
}

TimedProduct::Time TimedProduct::own() const { return {ways_[0].way.backend, median(ways_[0].seconds)}; }

TimedProduct::Time TimedProduct::best() const {
  const std::vector<double>& trainings = ways_[0].seconds;
  Time best = own();
  for (const auto& [way, seconds] : ways_) {
    const bool faster = kNoise * median(seconds) < median(trainings) &&
                        kNoise * std::ranges::min(seconds) < std::ranges::min(trainings);
    if (faster && median(seconds) < best.seconds) best = {way.backend, median(seconds)};
  }
  return best;
}

}  // namespace phasor::bench
