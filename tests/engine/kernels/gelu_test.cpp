#include "engine/kernels/gelu.h"

#include "engine/kernels/reference/gelu.h"
#include "tests/support/complex_step.h"
#include "tests/support/inputs.h"
#include "tests/support/stored.h"
#include "tests/support/teams.h"
#include "tests/support/tolerance.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

// Both tails, the steep middle, and sizes that leave a remainder in every register.
std::vector<Floats> inputs() {
  std::vector<Floats> all{Floats{}, Floats{-0.75f}, Floats{0, -1e-30f, 1e-30f, -20, 20, -1e30f, 1e30f}};
  for (std::size_t count : {13u, 16u, 97u, 40009u}) all.push_back(uniform(count, count, -15, 15));
  all.push_back(uniform(1, 1000, -1e-3f, 1e-3f));
  return all;
}

// Of the normal distribution's functions.
template <class T>
constexpr double kRoundingsIn = std::is_same_v<T, bfloat16> ? kRoughNormalRoundings : kNormalRoundings;

// The reference's own Phi = (1 + erf) / 2 cancels in the lower tail.
double cancellation(double x) { return 2 * kDoubleRoundoff * std::abs(x); }

template <class T>
struct Gelu : ::testing::Test {};
TYPED_TEST_SUITE(Gelu, StoredTypes);

template <class T>
struct GeluGradient : ::testing::Test {};
TYPED_TEST_SUITE(GeluGradient, StoredTypes);

TYPED_TEST(Gelu, AgreesWithTheReference) {
  using T = TypeParam;
  for (const Floats& raw : inputs()) {
    const Floats x = representable<T>(raw);
    const Floats y = same_for_all_teams([&] {
      Buffer<T> out(x.size());
      gelu<T>(stored<T>(x), out);
      return loaded(out);
    });
    Doubles expected(x.size()), bound(x.size());
    reference::gelu<double>(widen(x), expected);
    for (std::size_t i = 0; i < x.size(); ++i)
      bound[i] = rounding(kRoundingsIn<T> + 1) * std::abs(expected[i]) + cancellation(x[i]);
    allow_storing<T>(expected, bound);
    expect_within(y, expected, bound);
  }
}

TYPED_TEST(Gelu, WithItsGradientHasTheBitsOfEachAlone) {
  using T = TypeParam;
  for (const Floats& raw : inputs()) {
    const Buffer<T> x = stored<T>(raw), dy = stored<T>(uniform(2, raw.size()));
    Buffer<T> y(raw.size()), dx(raw.size()), both_y(raw.size()), both_dx(raw.size());
    gelu<T>(x, y);
    gelu_gradient<T>(x, dy, dx);
    gelu_with_gradient<T>(x, dy, both_dx, both_y);
    EXPECT_EQ(loaded(both_y), loaded(y));
    EXPECT_EQ(loaded(both_dx), loaded(dx));
  }
}

// In a register, in the remainder of a loop and alone, an element has the same bits.
TYPED_TEST(Gelu, AnElementDoesNotKnowItsLane) {
  using T = TypeParam;
  const Buffer<T> x = stored<T>(uniform(1, 61, -14, 14)), dy = stored<T>(uniform(2, 61));
  Buffer<T> y(61), dx(61), lone_y(61), lone_dx(61);
  gelu<T>(x, y);
  gelu_gradient<T>(x, dy, dx);
  for (std::size_t i = 0; i < x.size(); ++i) {
    gelu<T>(std::span(x).subspan(i, 1), std::span(lone_y).subspan(i, 1));
    gelu_gradient<T>(std::span(x).subspan(i, 1), std::span(dy).subspan(i, 1), std::span(lone_dx).subspan(i, 1));
  }
  EXPECT_TRUE(same_bits(loaded(lone_y), loaded(y)));
  EXPECT_TRUE(same_bits(loaded(lone_dx), loaded(dx)));
}

TYPED_TEST(GeluGradient, AgreesWithTheReference) {
  using T = TypeParam;
  for (const Floats& raw : inputs()) {
    const Floats x = representable<T>(raw), dy = representable<T>(uniform(7, x.size()));
    const Floats dx = same_for_all_teams([&] {
      Buffer<T> out = stored<T>(dy);  // in place
      gelu_gradient<T>(stored<T>(x), out, out);
      return loaded(out);
    });
    Doubles expected(x.size()), bound(x.size());
    reference::gelu_gradient<double>(widen(x), widen(dy), expected);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double wide = x[i];
      const double terms = reference::normal_cumulative(wide) + std::abs(wide) * reference::normal_density(wide);
      bound[i] = std::abs(dy[i]) * (rounding(kRoundingsIn<T> + 2) * terms + cancellation(1));
    }
    allow_storing<T>(expected, bound);
    expect_within(dx, expected, bound);
  }
}

TEST(GeluReference, HasItsDerivative) {
  const Doubles x = widen(uniform(1, 50, -6, 6)), dy = widen(uniform(2, 50));
  const Doubles expected = complex_step_gradient(
      [](const std::vector<Complex>& in) {
        std::vector<Complex> y(in.size());
        reference::gelu<Complex>(in, y);
        return y;
      },
      x, dy);
  Doubles dx(x.size());
  reference::gelu_gradient<double>(x, dy, dx);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(dx[i], expected[i], 16 * kDoubleRoundoff * std::abs(dy[i]));
}

}  // namespace
}  // namespace phasor::kernels
