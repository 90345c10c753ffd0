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
std::vector<Floats> gelu_inputs() {
  std::vector<Floats> all{Floats{}, Floats{-0.75f}, Floats{0, -1e-30f, 1e-30f, -20, 20, -1e30f, 1e30f}};
  for (std::size_t count : {13u, 16u, 97u, 40009u}) all.push_back(uniform(count, count, -15, 15));
  all.push_back(uniform(1, 1000, -1e-3f, 1e-3f));
  return all;
}

constexpr GeluKind kKinds[] = {GeluKind::erf, GeluKind::tanh};

// Of P at x; p has twice as many at most.
template <class T>
double roundings_in(GeluKind kind, double x) {
  if (kind == GeluKind::erf) return std::is_same_v<T, bfloat16> ? kRoughNormalRoundings : kNormalRoundings;
  return std::is_same_v<T, bfloat16> ? kRoughTanhNormalRoundings : tanh_normal_roundings(x);
}

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
  for (GeluKind kind : kKinds)
    for (const Floats& raw : gelu_inputs()) {
      const Floats x = representable<T>(raw);
      const Floats y = same_for_all_teams([&] {
        Buffer<T> out(x.size());
        gelu<T>(kind, stored<T>(x), out);
        return loaded(out);
      });
      Doubles expected(x.size()), bound(x.size());
      reference::gelu<double>(kind, widen(x), expected);
      for (std::size_t i = 0; i < x.size(); ++i)
        bound[i] = rounding(roundings_in<T>(kind, x[i]) + 1) * std::abs(expected[i]) + cancellation(x[i]);
      allow_storing<T>(expected, bound);
      expect_within(y, expected, bound);
    }
}

TYPED_TEST(Gelu, WithItsGradientHasTheBitsOfEachAlone) {
  using T = TypeParam;
  for (GeluKind kind : kKinds)
    for (const Floats& raw : gelu_inputs()) {
      const Buffer<T> x = stored<T>(raw), dy = stored<T>(uniform(2, raw.size()));
      Buffer<T> y(raw.size()), dx(raw.size()), both_y(raw.size()), both_dx(raw.size());
      gelu<T>(kind, x, y);
      gelu_gradient<T>(kind, x, dy, dx);
      gelu_with_gradient<T>(kind, x, dy, both_dx, both_y);
      EXPECT_EQ(loaded(both_y), loaded(y));
      EXPECT_EQ(loaded(both_dx), loaded(dx));
    }
}

// In a register, in the remainder of a loop and alone, an element has the same bits.
TYPED_TEST(Gelu, AnElementDoesNotKnowItsLane) {
  using T = TypeParam;
  const Buffer<T> x = stored<T>(uniform(1, 61, -14, 14)), dy = stored<T>(uniform(2, 61));
  for (GeluKind kind : kKinds) {
    Buffer<T> y(61), dx(61), lone_y(61), lone_dx(61);
    gelu<T>(kind, x, y);
    gelu_gradient<T>(kind, x, dy, dx);
    for (std::size_t i = 0; i < x.size(); ++i) {
      gelu<T>(kind, std::span(x).subspan(i, 1), std::span(lone_y).subspan(i, 1));
      gelu_gradient<T>(kind, std::span(x).subspan(i, 1), std::span(dy).subspan(i, 1), std::span(lone_dx).subspan(i, 1));
    }
    EXPECT_TRUE(same_bits(loaded(lone_y), loaded(y)));
    EXPECT_TRUE(same_bits(loaded(lone_dx), loaded(dx)));
  }
}

TYPED_TEST(GeluGradient, AgreesWithTheReference) {
  using T = TypeParam;
  for (GeluKind kind : kKinds)
    for (const Floats& raw : gelu_inputs()) {
      const Floats x = representable<T>(raw), dy = representable<T>(uniform(7, x.size()));
      const Floats dx = same_for_all_teams([&] {
        Buffer<T> out = stored<T>(dy);  // in place
        gelu_gradient<T>(kind, stored<T>(x), out, out);
        return loaded(out);
      });
      Doubles expected(x.size()), bound(x.size());
      reference::gelu_gradient<double>(kind, widen(x), widen(dy), expected);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double wide = x[i], roundings = roundings_in<T>(kind, wide);
        const double p_roundings = kind == GeluKind::erf ? roundings : 2 * roundings;
        const double terms = rounding(roundings + 2) * reference::gelu_cumulative(kind, wide) +
                             rounding(p_roundings + 2) * std::abs(wide) * reference::gelu_density(kind, wide);
        bound[i] = std::abs(dy[i]) * (terms + cancellation(1));
      }
      allow_storing<T>(expected, bound);
      expect_within(dx, expected, bound);
    }
}

TEST(GeluReference, HasItsDerivative) {
  const Doubles x = widen(uniform(1, 50, -6, 6)), dy = widen(uniform(2, 50));
  for (GeluKind kind : kKinds) {
    const Doubles expected = complex_step_gradient(
        [=](const std::vector<Complex>& in) {
          std::vector<Complex> y(in.size());
          reference::gelu<Complex>(kind, in, y);
          return y;
        },
        x, dy);
    Doubles dx(x.size());
    reference::gelu_gradient<double>(kind, x, dy, dx);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(dx[i], expected[i], 16 * kDoubleRoundoff * std::abs(dy[i]));
  }
}

// The two differ by less than 5e-4 everywhere, and the tanh form is what its name says.
TEST(GeluReference, TanhIsItsFormula) {
  for (double x = -8; x <= 8; x += 0.37) {
    const double u = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
    EXPECT_NEAR(reference::gelu_cumulative(GeluKind::tanh, x), (1 + std::tanh(u)) / 2, 16 * kDoubleRoundoff);
    EXPECT_NEAR(x * reference::gelu_cumulative(GeluKind::tanh, x), x * reference::gelu_cumulative(GeluKind::erf, x),
                5e-4);
  }
}

}  // namespace
}  // namespace phasor::kernels
