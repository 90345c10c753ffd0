#include "bench/kernel_bench.h"

#include <cmath>

#include "bench/memory_rate.h"
#include "bench/product_rate.h"
#include "bench/register_peak.h"
#include "bench/timing.h"
#include "engine/base/parallel.h"

namespace phasor::bench {

namespace {

constexpr int kRuns = 7;
constexpr double kEnoughSeconds = 0.1;  // short kernels run more often,
constexpr int kMostRuns = 1000;         // to a point

void verify(const KernelCase& c, const std::string& name) {
  for (const auto& [actual, expected] : c.compare()) {
    ensure(actual.size() == expected.size(), "{}: {} results, the reference has {}", name, actual.size(),
           expected.size());
    double largest = 0, error = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      error = std::max(error, std::isnan(actual[i]) ? HUGE_VAL : std::abs(actual[i] - expected[i]));
    }
    ensure(error <= c.tolerance() * largest, "{}: off by {}, where the largest result is {}", name, error, largest);
  }
}

constexpr int kLimitSamples = 5;

TimedProduct sampled(const kernels::ProductShape& shape, int threads) {
  TimedProduct product(shape, threads);
  for (int i = 0; i < kLimitSamples; ++i) product.sample();
  return product;
}

RateLimit rate_of(const TimedProduct& product) {
  const TimedProduct::Time best = product.best();
  return {.rate = product.flops() / best.seconds, .backend = best.backend, .trainings = product.own().backend};
}

RateLimit fastest_product(DType type, int threads) {
  RateLimit fastest;
  for (const ProductSize& size : {ProductSize{.m = kTokens, .n = 3 * kHidden, .k = kHidden, .transpose_b = true},
                                  ProductSize{.m = kTokens, .n = kHidden, .k = kHidden, .transpose_b = true},
                                  ProductSize{.m = kTokens, .n = kInner, .k = kHidden, .transpose_b = true},
                                  ProductSize{.m = kTokens, .n = kHidden, .k = kInner, .transpose_b = true}}) {
    const RateLimit product = rate_of(sampled(training_product(size, type), threads));
    if (product.rate > fastest.rate) fastest = product;
  }
  return fastest;
}

}  // namespace

RateLimit MachineLimits::rate(const KernelCase& c) {
  set_threads(threads_);
  if (c.limit == Limit::memory) {
    double& rate = bytes_per_second_[c.work];
    if (rate == 0) rate = memory_bytes_per_second(c.work);
    return {.rate = rate};
  }
  if (c.product) {
    const TimedProduct product = sampled(*c.product, threads_);
    RateLimit limit = rate_of(product);
    limit.note = note_of(product);
    return limit;
  }
  RateLimit& limit = fastest_products_[c.type];
  if (limit.rate == 0) limit = fastest_product(c.type, threads_);
  return limit;
}

double MachineLimits::peak(const KernelCase& c) {
  if (c.limit == Limit::memory) return 0;
  set_threads(threads_);
  double& peak = peaks_[c.type];
  if (peak == 0) peak = register_peak(c.type).flops_per_second;
  return peak;
}

KernelReport bench_kernel(const KernelEntry& entry, MachineLimits& limits) {
  set_threads(limits.threads());
  const KernelCase c = entry.make(limits.threads());
  c.run();
  verify(c, entry.name);
  std::vector<double> seconds, beside;
  double sum = 0;
  while (seconds.size() < kRuns || (sum < kEnoughSeconds && seconds.size() < kMostRuns)) {
    seconds.push_back(seconds_of(c.run));
    sum += seconds.back();
    if (c.run_beside) beside.push_back(seconds_of(c.run_beside));
  }
  return {.name = entry.name,
          .limit = c.limit,
          .seconds = median(seconds),
          .rate = c.work / median(seconds),
          .bound = limits.rate(c),
          .peak_rate = limits.peak(c),
          .beside = c.beside,
          .share_of_beside = c.run_beside ? median(seconds) / median(beside) : 0};
}

}  // namespace phasor::bench
