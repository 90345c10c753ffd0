#include "engine/kernels/dropout_add_norm.h"

#include "engine/kernels/dropout.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/norm.h"
#include "tests/support/inputs.h"
#include "tests/support/stored.h"
#include "tests/support/teams.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

constexpr RandomPosition kPosition{.seed = 42, .step = 3, .first_sample = 8, .stage = 2};
constexpr std::int64_t kSite = 5;
constexpr float kEps = 1e-12f, kProbabilities[] = {0, 0.1f, 0.9f};

struct Sizes {
  std::int64_t samples, rows;  // rows of a sample
  std::size_t columns;

  std::size_t all_rows() const { return static_cast<std::size_t>(samples * rows); }
  std::size_t elements() const { return all_rows() * columns; }
};
constexpr Sizes kSizes[] = {{0, 1, 4}, {1, 1, 1}, {3, 2, 5}, {2, 33, 17}, {3, 7, 768}, {1, 3, 1031}};

template <class T>
struct DropoutAddNorm : ::testing::Test {};
TYPED_TEST_SUITE(DropoutAddNorm, StoredTypes);

TYPED_TEST(DropoutAddNorm, IsDropoutThenAddThenNorm) {
  using T = TypeParam;
  for (const Sizes& sizes : kSizes)
    for (float probability : kProbabilities) {
      const std::size_t elements = sizes.elements(), rows = sizes.all_rows();
      const Buffer<T> x = stored<T>(uniform(1, elements)), residual = stored<T>(uniform(2, elements));
      const Floats gamma = uniform(3, sizes.columns), beta = uniform(4, sizes.columns);
      const auto results = [&](auto compute) {
        Buffer<T> sum = x, y(elements);  // the sum in place of x
        Floats mean(rows), rstd(rows);
        compute(sum, y, mean, rstd);
        return joined({loaded(sum), loaded(y), mean, rstd});
      };
      const Floats apart = results([&](Buffer<T>& sum, Buffer<T>& y, Floats& mean, Floats& rstd) {
        dropout<T>(kPosition, kSite, probability, sizes.samples, sum, sum);
        add<T>(sum, residual, sum);
        layer_norm<T>(kEps, sum, gamma, beta, y, mean, rstd);
      });
      EXPECT_TRUE(same_bits(apart, same_for_all_teams([&] {
                              return results([&](Buffer<T>& sum, Buffer<T>& y, Floats& mean, Floats& rstd) {
                                dropout_add_norm<T>({.position = kPosition,
                                                     .site = kSite,
                                                     .probability = probability,
                                                     .samples = sizes.samples,
                                                     .eps = kEps,
                                                     .x = sum,
                                                     .residual = residual,
                                                     .gamma = gamma,
                                                     .beta = beta,
                                                     .sum = sum,
                                                     .y = y,
                                                     .mean = mean,
                                                     .rstd = rstd});
                              });
                            })));
    }
}

TYPED_TEST(DropoutAddNorm, GradientIsNormsThenDropouts) {
  using T = TypeParam;
  for (const Sizes& sizes : kSizes)
    for (float probability : kProbabilities) {
      const std::size_t elements = sizes.elements(), rows = sizes.all_rows();
      const Buffer<T> sum = stored<T>(uniform(1, elements)), dy = stored<T>(uniform(2, elements));
      const Floats gamma = uniform(3, sizes.columns), mean = uniform(4, rows), rstd = uniform(5, rows, 0.5, 2);
      const auto results = [&](auto compute) {
        Buffer<T> dx(elements), dresidual = dy;  // in place
        Floats dgamma(sizes.columns, NAN), dbeta(sizes.columns, NAN);
        Floats scratch(dropout_add_norm_gradient_scratch(static_cast<std::int64_t>(rows),
                                                         static_cast<std::int64_t>(sizes.columns)),
                       NAN);
        compute(dx, dresidual, dgamma, dbeta, scratch);
        return joined({loaded(dx), loaded(dresidual), dgamma, dbeta});
      };
      const Floats apart =
          results([&](Buffer<T>& dx, Buffer<T>& dresidual, Floats& dgamma, Floats& dbeta, Floats& scratch) {
            layer_norm_gradient<T>({.x = sum,
                                    .gamma = gamma,
                                    .mean = mean,
                                    .rstd = rstd,
                                    .dy = dresidual,
                                    .dx = dresidual,
                                    .dgamma = dgamma,
                                    .dbeta = dbeta,
                                    .scratch = scratch});
            dropout<T>(kPosition, kSite, probability, sizes.samples, dresidual, dx);
          });
      EXPECT_TRUE(same_bits(apart, same_for_all_teams([&] {
                              return results([&](Buffer<T>& dx, Buffer<T>& dresidual, Floats& dgamma, Floats& dbeta,
                                                 Floats& scratch) {
                                dropout_add_norm_gradient<T>({.position = kPosition,
                                                              .site = kSite,
                                                              .probability = probability,
                                                              .samples = sizes.samples,
                                                              .sum = sum,
                                                              .gamma = gamma,
                                                              .mean = mean,
                                                              .rstd = rstd,
                                                              .dy = dresidual,
                                                              .dx = dx,
                                                              .dresidual = dresidual,
                                                              .dgamma = dgamma,
                                                              .dbeta = dbeta,
                                                              .scratch = scratch});
                              });
                            })));
    }
}

}  // namespace
}  // namespace phasor::kernels
