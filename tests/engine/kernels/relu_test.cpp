#include "engine/kernels/relu.h"

#include "engine/kernels/reference/relu.h"
#include "tests/support/complex_step.h"
#include "tests/support/inputs.h"
#include "tests/support/stored.h"
#include "tests/support/teams.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

// Nothing, both zeros, both ends of the range, and sizes that leave a remainder in every register.
std::vector<Floats> relu_inputs() {
  return {Floats{}, Floats{-1}, Floats{0, -0.0f, 1e-38f, -1e-38f, 1e38f, -1e38f, INFINITY, -INFINITY}, uniform(1, 97),
          spread(2, 40009)};
}

template <class T>
struct Relu : ::testing::Test {};
TYPED_TEST_SUITE(Relu, StoredTypes);

TYPED_TEST(Relu, IsTheReference) {
  using T = TypeParam;
  for (const Floats& raw : relu_inputs()) {
    const Floats x = representable<T>(raw);
    Floats expected(x.size());
    reference::relu<float>(x, expected);
    EXPECT_TRUE(same_bits(expected, same_for_all_teams([&] {
                            Buffer<T> y = stored<T>(x);  // in place
                            relu<T>(y, y);
                            return loaded(y);
                          })));
  }
}

TYPED_TEST(Relu, GradientIsTheReference) {
  using T = TypeParam;
  for (const Floats& raw : relu_inputs()) {
    const Floats dy = representable<T>(uniform(9, raw.size()));
    Floats y = representable<T>(raw), expected(y.size());
    reference::relu<float>(y, y);
    reference::relu_gradient<float>(y, dy, expected);
    EXPECT_TRUE(same_bits(expected, same_for_all_teams([&] {
                            Buffer<T> dx = stored<T>(dy);  // in place
                            relu_gradient<T>(stored<T>(y), dx, dx);
                            return loaded(dx);
                          })));
  }
}

TYPED_TEST(Relu, NanStays) {
  using T = TypeParam;
  Buffer<T> y = stored<T>(Floats(3, NAN));
  relu<T>(y, y);
  for (float value : loaded(y)) EXPECT_TRUE(std::isnan(value));
}

TEST(ReluReference, HasItsDerivative) {
  const Doubles x = widen(uniform(1, 50)), dy = widen(uniform(2, 50));
  const Doubles expected = complex_step_gradient(
      [](const std::vector<Complex>& in) {
        std::vector<Complex> y(in.size());
        reference::relu<Complex>(in, y);
        return y;
      },
      x, dy);
  Doubles y(x.size()), dx(x.size());
  reference::relu<double>(x, y);
  reference::relu_gradient<double>(y, dy, dx);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_DOUBLE_EQ(dx[i], expected[i]);
}

}  // namespace
}  // namespace phasor::kernels
