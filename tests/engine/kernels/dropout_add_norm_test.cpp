#include "engine/kernels/dropout_add_norm.h"

#include <optional>

#include "engine/kernels/dropout.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/norm.h"
#include "tests/engine/kernels/packed_rows.h"
#include "tests/support/inputs.h"
#include "tests/support/stored.h"
#include "tests/support/teams.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

constexpr RandomPosition kNormPosition{.seed = 42, .step = 3, .first_sample = 8, .stage = 2};
constexpr std::int64_t kSite = 5;
constexpr float kEps = 1e-12f, kProbabilities[] = {0, 0.1f, 0.9f};

// Samples one after the other, or side by side.
struct DropoutAddNormSizes {
  std::int64_t samples, rows;  // rows of a sample
  std::size_t columns;
  const PackedRows* packed = nullptr;

  std::size_t all_rows() const { return packed != nullptr ? packed->tokens() : samples * rows; }
  std::size_t elements() const { return all_rows() * columns; }
  // What an op is told where they are side by side.
  std::optional<Segments> segments() const {
    return packed != nullptr ? std::optional(packed->segments()) : std::nullopt;
  }

  Floats spoiled(Floats x) const { return packed != nullptr ? packed->spoiled(std::move(x)) : x; }

  template <class T>
  void dropout(float probability, std::span<const T> x, std::span<T> y) const {
    if (packed != nullptr) return kernels::dropout<T>(kNormPosition, kSite, probability, packed->segments(), x, y);
    kernels::dropout<T>(kNormPosition, kSite, probability, samples, x, y);
  }
};
std::vector<DropoutAddNormSizes> all_sizes() {
  std::vector<DropoutAddNormSizes> all{{0, 1, 4}, {1, 1, 1}, {3, 2, 5}, {2, 33, 17}, {3, 7, 768}, {1, 3, 1031}};
  for (const PackedRows& packed : packed_rows())
    for (std::size_t columns : {5u, 768u, 1031u}) all.push_back({.columns = columns, .packed = &packed});
  return all;
}
const Segments* pointer_to(const std::optional<Segments>& segments) { return segments ? &*segments : nullptr; }

template <class T>
struct DropoutAddNorm : ::testing::Test {};
TYPED_TEST_SUITE(DropoutAddNorm, StoredTypes);

TYPED_TEST(DropoutAddNorm, IsDropoutThenAddThenNorm) {
  using T = TypeParam;
  for (const DropoutAddNormSizes& sizes : all_sizes())
    for (float probability : kProbabilities) {
      const std::optional<Segments> segments = sizes.segments();
      const std::size_t elements = sizes.elements(), rows = sizes.all_rows();
      const Buffer<T> x = stored<T>(sizes.spoiled(uniform(1, elements))), residual = stored<T>(uniform(2, elements));
      const Floats gamma = uniform(3, sizes.columns), beta = uniform(4, sizes.columns);
      const auto results = [&](auto compute) {
        Buffer<T> sum = x, y(elements);  // the sum in place of x
        Floats mean(rows), rstd(rows);
        compute(sum, y, mean, rstd);
        return joined({loaded(sum), loaded(y), mean, rstd});
      };
      const Floats apart = results([&](Buffer<T>& sum, Buffer<T>& y, Floats& mean, Floats& rstd) {
        sizes.dropout<T>(probability, sum, sum);
        add<T>(sum, residual, sum);
        layer_norm<T>(kEps, sum, gamma, beta, y, mean, rstd);
      });
      EXPECT_TRUE(same_bits(apart, same_for_all_teams([&] {
                              return results([&](Buffer<T>& sum, Buffer<T>& y, Floats& mean, Floats& rstd) {
                                dropout_add_norm<T>({.position = kNormPosition,
                                                     .site = kSite,
                                                     .probability = probability,
                                                     .samples = sizes.samples,
                                                     .segments = pointer_to(segments),
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
  for (const DropoutAddNormSizes& sizes : all_sizes())
    for (float probability : kProbabilities) {
      const std::optional<Segments> segments = sizes.segments();
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
            sizes.dropout<T>(probability, dresidual, dx);
          });
      EXPECT_TRUE(same_bits(apart, same_for_all_teams([&] {
                              return results([&](Buffer<T>& dx, Buffer<T>& dresidual, Floats& dgamma, Floats& dbeta,
                                                 Floats& scratch) {
                                dropout_add_norm_gradient<T>({.position = kNormPosition,
                                                              .site = kSite,
                                                              .probability = probability,
                                                              .samples = sizes.samples,
                                                              .segments = pointer_to(segments),
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
