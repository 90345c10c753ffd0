#include "engine/kernels/convolution/pooling.h"

#include "engine/kernels/reference/pooling.h"
#include "engine/kernels/relu.h"
#include "tests/support/complex_step.h"
#include "tests/support/inputs.h"
#include "tests/support/stored.h"
#include "tests/support/teams.h"
#include "tests/support/tolerance.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

// No plane, one window, digits, what no window reaches, overlapping windows, gaps, and more planes than a piece has.
constexpr PoolingShape kPoolings[] = {{.planes = 0, .height = 4, .width = 4},
                                      {.planes = 1, .height = 2, .width = 2},
                                      {.planes = 30, .height = 24, .width = 24},
                                      {.planes = 20, .height = 8, .width = 8},
                                      {.planes = 3, .height = 9, .width = 37},
                                      {.planes = 2, .height = 5, .width = 5, .window = 1, .stride = 1},
                                      {.planes = 2, .height = 7, .width = 9, .window = 3, .stride = 2},
                                      {.planes = 3, .height = 6, .width = 6, .window = 2, .stride = 1},
                                      {.planes = 2, .height = 11, .width = 8, .window = 2, .stride = 3},
                                      {.planes = 4000, .height = 3, .width = 2}};

std::size_t x_size(const PoolingShape& s) { return s.planes * s.height * s.width; }
std::size_t y_size(const PoolingShape& s) { return s.planes * s.out_height() * s.out_width(); }

using Indices = std::vector<std::uint8_t>;
constexpr std::uint8_t kUnwritten = 254;

// Calls test(shape, x), with and without relu, for the everyday case and for x in which many elements are the largest.
template <class T, class Test>
void for_each_input(Test test) {
  for (PoolingShape s : kPoolings)
    for (bool relu : {false, true}) {
      s.relu = relu;
      SCOPED_TRACE(testing::Message() << s.planes << " " << s.height << " " << s.width << ", window " << s.window
                                      << ", stride " << s.stride << ", relu " << relu);
      Floats ties = tied(2, x_size(s));
      for (float& value : ties) value -= 1;
      test(s, representable<T>(uniform(1, x_size(s))));
      test(s, ties);
    }
}

template <class T>
struct MaxPool : ::testing::Test {};
TYPED_TEST_SUITE(MaxPool, StoredTypes);

TYPED_TEST(MaxPool, IsTheReference) {
  using T = TypeParam;
  for_each_input<T>([](const PoolingShape& s, const Floats& x) {
    Floats expected(y_size(s));
    Indices chosen(y_size(s)), indices(y_size(s));
    reference::max_pool2d<float>(s, x, expected, chosen);
    EXPECT_TRUE(same_bits(expected, same_for_all_teams([&] {
                            Buffer<T> y = stored<T>(Floats(y_size(s), NAN));
                            std::ranges::fill(indices, kUnwritten);
                            max_pool2d<T>(s, stored<T>(x), y, indices);
                            EXPECT_EQ(indices, chosen);
                            return loaded(y);
                          })));
  });
}

// At most window^2 gradients meet in an element; sums of these few are bounded by their number.
TYPED_TEST(MaxPool, GradientAgreesWithTheReference) {
  using T = TypeParam;
  for_each_input<T>([](const PoolingShape& s, const Floats& x) {
    const Floats dy = representable<T>(uniform(7, y_size(s)));
    Indices indices(y_size(s));
    const Floats dx = same_for_all_teams([&] {
      Buffer<T> y(y_size(s)), out = stored<T>(Floats(x_size(s), NAN));
      max_pool2d<T>(s, stored<T>(x), y, indices);
      Floats scratch(max_pool2d_gradient_scratch(s, threads()), NAN);
      max_pool2d_gradient<T>(s, indices, stored<T>(dy), out, scratch);
      return loaded(out);
    });
    Doubles expected(x_size(s));
    reference::max_pool2d_gradient<double>(s, indices, widen(dy), expected);
    const auto terms = static_cast<double>(s.window * s.window);
    Doubles bound(x_size(s), s.stride < s.window ? terms * rounding(terms) : 0);
    if (s.stride < s.window) allow_storing<T>(expected, bound);
    expect_within(dx, expected, bound);
  });
}

TYPED_TEST(MaxPool, ReluIsThatOfTheMaxima) {
  using T = TypeParam;
  const PoolingShape plain{.planes = 5, .height = 8, .width = 10};
  PoolingShape fused = plain;
  fused.relu = true;
  const Buffer<T> x = stored<T>(uniform(1, x_size(plain), -2, 1));
  Buffer<T> y(y_size(plain)), both(y.size());
  Indices indices(y.size());
  max_pool2d<T>(plain, x, y, indices);
  relu<T>(y, y);
  max_pool2d<T>(fused, x, both, indices);
  EXPECT_TRUE(same_bits(loaded(both), loaded(y)));
}

TYPED_TEST(MaxPool, NanIsTheMaximum) {
  using T = TypeParam;
  for (bool relu : {false, true})
    for (std::int64_t stride : {2, 1})
      for (std::size_t at = 0; at < 4; ++at) {
        Floats x{1, 2, 3, 4};
        x[at] = NAN;
        Buffer<T> y(1);
        Indices indices(1);
        max_pool2d<T>({.planes = 1, .height = 2, .width = 2, .stride = stride, .relu = relu}, stored<T>(x), y, indices);
        EXPECT_TRUE(std::isnan(loaded(y)[0]));
        EXPECT_EQ(indices[0], kNoGradient);
      }
}

TEST(MaxPoolReference, HasItsDerivative) {
  for (bool relu : {false, true}) {
    const PoolingShape s{.planes = 2, .height = 6, .width = 7, .window = 3, .stride = 2, .relu = relu};
    const Doubles x = widen(uniform(1, x_size(s), -2, 1)), dy = widen(uniform(2, y_size(s)));
    Indices indices(dy.size());
    const Doubles expected = complex_step_gradient(
        [&](const std::vector<Complex>& in) {
          std::vector<Complex> y(dy.size());
          reference::max_pool2d<Complex>(s, in, y, indices);
          return y;
        },
        x, dy);
    Doubles dx(x.size());
    reference::max_pool2d_gradient<double>(s, indices, dy, dx);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(dx[i], expected[i], 9 * 9 * kDoubleRoundoff);
  }
}

}  // namespace
}  // namespace phasor::kernels
