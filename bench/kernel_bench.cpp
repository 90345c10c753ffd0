#include "bench/kernel_bench.h"

#include <cmath>

#include "bench/memory_rate.h"
#include "bench/product_rate.h"
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

double fastest_product(DType type, int threads) {
  double fastest = 0;
  for (const ProductSize& size : {ProductSize{.m = kTokens, .n = 3 * kHidden, .k = kHidden, .transpose_b = true},
                                  ProductSize{.m = kTokens, .n = kHidden, .k = kHidden, .transpose_b = true},
                                  ProductSize{.m = kTokens, .n = kInner, .k = kHidden, .transpose_b = true},
                                  ProductSize{.m = kTokens, .n = kHidden, .k = kInner, .transpose_b = true}}) {
    ProductRate rate({size}, type, threads);
    for (int run = 0; run < 3; ++run) rate.sample();
    fastest = std::max(fastest, rate.flops_per_second());
  }
  return fastest;
}

}  // namespace

double MachineLimits::rate(const KernelCase& c) {
  set_threads(threads_);
  double& rate = c.limit == Limit::products ? flops_per_second_[c.type] : bytes_per_second_[c.work];
  if (rate == 0)
    rate = c.limit == Limit::products ? fastest_product(c.type, threads_) : memory_bytes_per_second(c.work);
  return rate;
}

KernelReport bench_kernel(const KernelEntry& entry, MachineLimits& limits) {
  set_threads(limits.threads());
  const KernelCase c = entry.make(limits.threads());
  c.run();
  verify(c, entry.name);
  std::vector<double> seconds;
  double sum = 0;
  while (seconds.size() < kRuns || (sum < kEnoughSeconds && seconds.size() < kMostRuns)) {
    seconds.push_back(seconds_of(c.run));
    sum += seconds.back();
  }
  return {.name = entry.name,
          .limit = c.limit,
          .seconds = median(seconds),
          .rate = c.work / median(seconds),
          .limit_rate = limits.rate(c)};
}

}  // namespace phasor::bench
