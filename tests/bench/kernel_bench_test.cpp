// A kernel is compared with its reference before it is timed.
#include "bench/kernel_bench.h"

#include <gtest/gtest.h>

#include "bench/timing.h"
#include "engine/base/error.h"

namespace phasor::bench {
namespace {

// Doubles a number; `wrong` is added to the result.
KernelEntry doubling(double wrong) {
  return {"double", [wrong](int) {
            const Floats y(1);
            return KernelCase{.limit = Limit::memory,
                              .work = 8,
                              .run = [=] { y.out()[0] = static_cast<float>(2 + wrong); },
                              .compare =
                                  [=] {
                                    return std::vector{Comparison{widen(y), {2.0}}};
                                  }};
          }};
}

TEST(KernelBench, RatesAreWorkOverTimeAndShareTheLimit) {
  MachineLimits limits(1);
  const KernelReport report = bench_kernel(doubling(0), limits);
  EXPECT_GT(report.seconds, 0);
  EXPECT_DOUBLE_EQ(report.rate, 8 / report.seconds);
  EXPECT_EQ(report.bound.rate, limits.rate(doubling(0).make(1)).rate);
  EXPECT_DOUBLE_EQ(report.share_of_bound(), report.rate / report.bound.rate);
  EXPECT_EQ(report.peak_rate, 0);
  EXPECT_EQ(report.share_of_peak(), 0);
}

TEST(KernelBench, ProductsAreMeasuredAgainstABackendAndThePeak) {
  MachineLimits limits(1);
  KernelEntry entry = doubling(0);
  entry.make = [make = entry.make](int threads) {
    KernelCase c = make(threads);
    c.limit = Limit::products;
    c.product = kernels::ProductShape{.m = 64, .n = 64, .k = 64};
    return c;
  };
  const KernelReport report = bench_kernel(entry, limits);
  EXPECT_FALSE(report.bound.backend.empty());
  EXPECT_GT(report.bound.rate, 0);
  EXPECT_EQ(report.peak_rate, limits.peak(entry.make(1)));
  EXPECT_DOUBLE_EQ(report.share_of_peak(), report.rate / report.peak_rate);
}

TEST(KernelBench, TimesACaseInTurnsWithTheOneBesideIt) {
  MachineLimits limits(1);
  KernelEntry entry = doubling(0);
  int runs = 0, runs_beside = 0;
  entry.make = [&, make = entry.make](int threads) {
    KernelCase c = make(threads);
    c.beside = "another";
    c.run = [&, run = c.run] {
      run();
      ++runs;
    };
    c.run_beside = [&] {
      EXPECT_EQ(++runs_beside, runs - 1);  // of which the first is compared with the reference
    };
    return c;
  };
  const KernelReport report = bench_kernel(entry, limits);
  EXPECT_EQ(report.beside, "another");
  EXPECT_GT(report.share_of_beside, 0);
  EXPECT_EQ(bench_kernel(doubling(0), limits).beside, "");
}

TEST(KernelBench, RefusesAKernelThatIsWrong) {
  MachineLimits limits(1);
  EXPECT_THROW(bench_kernel(doubling(0.01), limits), InternalError);
  EXPECT_THROW(bench_kernel(doubling(std::numeric_limits<double>::quiet_NaN()), limits), InternalError);
}

TEST(Median, IsOneOfTheValues) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2);
  EXPECT_EQ(median_index({5, 5, 1}), 0u);
}

}  // namespace
}  // namespace phasor::bench
