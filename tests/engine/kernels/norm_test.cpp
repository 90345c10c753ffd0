#include "engine/kernels/norm.h"

#include "engine/kernels/reference/norm.h"
#include "tests/support/complex_step.h"
#include "tests/support/inputs.h"
#include "tests/support/stored.h"
#include "tests/support/teams.h"
#include "tests/support/tolerance.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

struct NormSizes {
  std::size_t rows, columns;
};
constexpr NormSizes kNormSizes[] = {{0, 8}, {1, 1}, {3, 5}, {7, 16}, {33, 17}, {129, 64}, {31, 331}, {101, 768}};

// The everyday case, rows far from zero, rows without any variance, and all magnitudes.
std::vector<Floats> norm_inputs(std::size_t count) {
  return {uniform(1, count), uniform(2, count, 100, 101), Floats(count, 3.7f), spread(3, count), cancelling(4, count)};
}

struct NormResult {
  Doubles y, mean, rstd;
};
NormResult reference_norm(float eps, const Floats& x, const Floats& gain, const Floats& beta, std::size_t rows) {
  NormResult result{Doubles(x.size()), Doubles(rows), Doubles(rows)};
  reference::layer_norm<double>(eps, widen(x), widen(gain), widen(beta), result.y, result.mean, result.rstd);
  return result;
}

// A sum of n terms is off by rounding(n) of its size. The mean is therefore off by some d, which the variance sees as
// d^2 and y as d * rstd; what else is rounded counts relative to the terms it is part of.
NormResult bounds(const Floats& x, const Floats& gain, const Floats& beta, const NormResult& expected) {
  const std::size_t columns = gain.size();
  const auto n = static_cast<double>(columns);
  NormResult bound = expected;
  for (std::size_t i = 0; i < expected.mean.size(); ++i) {
    double size = 0;
    for (std::size_t j = 0; j < columns; ++j) size += std::abs(x[i * columns + j]);
    const double rstd = expected.rstd[i], mean = bound.mean[i] = rounding(n + 1) * size / n;
    const double shift = mean * mean * rstd * rstd / 2;  // relative change of rstd; eps keeps rstd finite
    bound.rstd[i] = rstd * (shift + rounding(n + 6));
    for (std::size_t j = 0; j < columns; ++j) {
      const double centred = std::abs(x[i * columns + j] - expected.mean[i]) + mean;
      bound.y[i * columns + j] = rstd * std::abs(gain[j]) * (mean + centred * (shift + rounding(n + 10))) +
                                 rounding(2) * (std::abs(beta[j]) + std::abs(expected.y[i * columns + j]));
    }
  }
  return bound;
}

template <class T>
struct LayerNorm : ::testing::Test {};
TYPED_TEST_SUITE(LayerNorm, StoredTypes);

template <class T>
struct LayerNormGradient : ::testing::Test {};
TYPED_TEST_SUITE(LayerNormGradient, StoredTypes);

TYPED_TEST(LayerNorm, AgreesWithTheReference) {
  using T = TypeParam;
  for (const auto& [rows, columns] : kNormSizes)
    for (float eps : {1e-12f, 1e-5f})
      for (const Floats& raw : norm_inputs(rows * columns)) {
        const Floats x = representable<T>(raw);
        const Floats gain = uniform(5, columns, 0.5, 2), beta = uniform(6, columns);
        const Floats all = same_for_all_teams([&, count = rows] {
          Buffer<T> y(x.size());
          Floats mean(count, NAN), rstd(count, NAN);
          layer_norm<T>(eps, stored<T>(x), gain, beta, y, mean, rstd);
          return joined({loaded(y), mean, rstd});
        });
        const NormResult expected = reference_norm(eps, x, gain, beta, rows);
        NormResult bound = bounds(x, gain, beta, expected);
        allow_storing<T>(expected.y, bound.y);
        const std::span results(all);
        expect_within(results.first(x.size()), expected.y, bound.y);
        expect_within(results.subspan(x.size(), rows), expected.mean, bound.mean);
        expect_within(results.last(rows), expected.rstd, bound.rstd);
      }
}

// A row without variance is exactly its mean where the sum is exact, whatever eps.
TYPED_TEST(LayerNorm, AConstantRowBecomesBeta) {
  using T = TypeParam;
  const Floats gain = uniform(1, 48), beta = representable<T>(uniform(2, 48));
  Buffer<T> y(96);
  Floats mean(2), rstd(2);
  layer_norm<T>(1e-12f, stored<T>(Floats(96, 2.5f)), gain, beta, y, mean, rstd);
  EXPECT_TRUE(same_bits(loaded(y), joined({beta, beta})));
}

// All that enters is exact, so that each result is off by its roundings relative to its terms' sizes.
TYPED_TEST(LayerNormGradient, AgreesWithTheReference) {
  using T = TypeParam;
  for (const auto& [rows, columns] : kNormSizes)
    for (const Floats& raw : {uniform(7, rows * columns), cancelling(8, rows * columns)}) {
      const Floats dy = representable<T>(raw), x = representable<T>(uniform(1, rows * columns));
      const Floats gain = uniform(5, columns, -2, 2), mean = uniform(2, rows), rstd = uniform(3, rows, 0.5, 4);
      const Floats all = same_for_all_teams([&, m = rows, n = columns] {
        Buffer<T> dx = stored<T>(dy);  // in place
        Floats dgain(n, NAN), dbeta(n, NAN);
        Floats scratch(layer_norm_gradient_scratch(static_cast<std::int64_t>(m), static_cast<std::int64_t>(n)), NAN);
        const Buffer<T> in = stored<T>(x);
        layer_norm_gradient<T>({.x = in,
                                .gamma = gain,
                                .mean = mean,
                                .rstd = rstd,
                                .dy = dx,
                                .dx = dx,
                                .dgamma = dgain,
                                .dbeta = dbeta,
                                .scratch = scratch});
        return joined({loaded(dx), dgain, dbeta});
      });
      Doubles dx(x.size()), dgain(columns), dbeta(columns);
      reference::layer_norm_gradient<double>(widen(x), widen(gain), widen(mean), widen(rstd), widen(dy), dx, dgain,
                                             dbeta);
      Doubles dx_bound(x.size()), dgain_bound(columns), dbeta_bound(columns);
      const auto n = static_cast<double>(columns), m = static_cast<double>(rows);
      for (std::size_t i = 0; i < rows; ++i) {
        const auto h = [&, i = i, columns = columns](std::size_t j) {
          return std::abs((double{x[i * columns + j]} - mean[i]) * rstd[i]);
        };
        const auto q = [&, i = i, columns = columns](std::size_t j) {
          return std::abs(double{gain[j]} * dy[i * columns + j]);
        };
        double mean_q = 0, mean_qh = 0;
        for (std::size_t j = 0; j < columns; ++j) mean_q += q(j) / n, mean_qh += q(j) * h(j) / n;
        for (std::size_t j = 0; j < columns; ++j) {
          dx_bound[i * columns + j] = rstd[i] * rounding(n + 10) * (q(j) + mean_q + h(j) * mean_qh);
          dgain_bound[j] += rounding(m + 3) * std::abs(dy[i * columns + j]) * h(j);
          dbeta_bound[j] += rounding(m) * std::abs(dy[i * columns + j]);
        }
      }
      allow_storing<T>(dx, dx_bound);
      const std::span results(all);
      expect_within(results.first(x.size()), dx, dx_bound);
      expect_within(results.subspan(x.size(), columns), dgain, dgain_bound);
      expect_within(results.last(columns), dbeta, dbeta_bound);
    }
}

TEST(LayerNormReference, HasItsDerivative) {
  constexpr std::size_t kRows = 3, kColumns = 7;
  const Doubles x = widen(uniform(1, kRows * kColumns)), gain = widen(uniform(2, kColumns));
  const Doubles beta = widen(uniform(3, kColumns)), dy = widen(uniform(4, kRows * kColumns));
  const auto norm_of = [](const auto& in, const auto& scale, const auto& shift) {
    std::vector<Complex> y(in.size()), mean(kRows), rstd(kRows);
    reference::layer_norm<Complex>(1e-5f, in, scale, shift, y, mean, rstd);
    return y;
  };
  const std::vector<Complex> cx(x.begin(), x.end()), cgain(gain.begin(), gain.end()), cbeta(beta.begin(), beta.end());
  const Doubles by_x = complex_step_gradient([&](const auto& in) { return norm_of(in, cgain, cbeta); }, x, dy);
  const Doubles by_gain = complex_step_gradient([&](const auto& in) { return norm_of(cx, in, cbeta); }, gain, dy);
  const Doubles by_beta = complex_step_gradient([&](const auto& in) { return norm_of(cx, cgain, in); }, beta, dy);

  Doubles y(x.size()), mean(kRows), rstd(kRows), dx(x.size()), dgain(kColumns), dbeta(kColumns);
  reference::layer_norm<double>(1e-5f, x, gain, beta, y, mean, rstd);
  reference::layer_norm_gradient<double>(x, gain, mean, rstd, dy, dx, dgain, dbeta);
  // A few dozen roundings of terms whose sizes rstd <= 1 / sqrt(eps) bounds.
  const double bound = 64 * kColumns * kDoubleRoundoff * *std::max_element(rstd.begin(), rstd.end());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(dx[i], by_x[i], bound);
  for (std::size_t j = 0; j < kColumns; ++j) {
    EXPECT_NEAR(dgain[j], by_gain[j], bound);
    EXPECT_NEAR(dbeta[j], by_beta[j], bound);
  }
}

}  // namespace
}  // namespace phasor::kernels
