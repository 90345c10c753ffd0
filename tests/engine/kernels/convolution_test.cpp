#include "engine/kernels/convolution/convolution.h"

#include <functional>

#include "engine/kernels/reference/convolution.h"
#include "tests/support/complex_step.h"
#include "tests/support/inputs.h"
#include "tests/support/stored.h"
#include "tests/support/teams.h"
#include "tests/support/tolerance.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

ConvolutionShape shape_of(std::int64_t batch, std::int64_t in, std::int64_t height, std::int64_t width,
                          std::int64_t out, std::int64_t kernel_height, std::int64_t kernel_width,
                          std::int64_t stride = 1, std::int64_t padding = 0) {
  return {.batch = batch,
          .in_channels = in,
          .height = height,
          .width = width,
          .out_channels = out,
          .kernel_height = kernel_height,
          .kernel_width = kernel_width,
          .stride = stride,
          .padding = padding};
}

// No image, one pixel, digits, kernels of one tap and as large as the image, every number of channels and of columns
// that a tile can have, rows longer than a vector, strides with and without what is left over, padding up to all of a
// kernel, and batches of one piece and of several.
const ConvolutionShape kConvolutions[] = {
    shape_of(0, 2, 5, 5, 3, 3, 3),       shape_of(1, 1, 1, 1, 1, 1, 1),       shape_of(2, 1, 28, 28, 10, 5, 5),
    shape_of(3, 10, 12, 12, 20, 5, 5),   shape_of(3, 3, 7, 9, 11, 1, 1),      shape_of(2, 2, 6, 5, 4, 6, 5),
    shape_of(1, 2, 9, 40, 7, 2, 7),      shape_of(2, 3, 9, 11, 6, 3, 2, 2),   shape_of(2, 2, 10, 13, 3, 5, 4, 3, 2),
    shape_of(1, 1, 4, 4, 9, 2, 3, 5, 3), shape_of(2, 2, 3, 3, 2, 7, 7, 1, 3), shape_of(37, 2, 5, 6, 3, 3, 3, 1, 1),
    shape_of(70, 1, 3, 4, 2, 2, 2, 2)};

std::size_t x_size(const ConvolutionShape& s) { return s.batch * s.in_channels * s.height * s.width; }
std::size_t weight_size(const ConvolutionShape& s) { return s.out_channels * s.taps(); }
std::size_t y_size(const ConvolutionShape& s) { return s.batch * s.out_channels * s.out_height() * s.out_width(); }

// Calls test(shape, generator of inputs) for each of both.
void for_each_input(const std::function<void(const ConvolutionShape&, Floats (*)(std::uint64_t, std::size_t))>& test) {
  for (const ConvolutionShape& s : kConvolutions)
    for (auto* generator : {+[](std::uint64_t seed, std::size_t count) { return uniform(seed, count); }, &spread}) {
      SCOPED_TRACE(testing::Message() << "x " << s.batch << " " << s.in_channels << " " << s.height << " " << s.width
                                      << ", weight " << s.out_channels << " " << s.kernel_height << " "
                                      << s.kernel_width << ", stride " << s.stride << ", padding " << s.padding);
      test(s, generator);
    }
}

// How far sums of so many products can be off, whose absolute values sum to `sums`.
Doubles bound_of(Doubles sums, std::int64_t terms) {
  for (double& value : sums) value *= rounding(static_cast<double>(terms));
  return sums;
}

// Garbage shows: kernels may count on nothing in it.
Floats scratch_of(std::int64_t elements) { return Floats(static_cast<std::size_t>(elements), NAN); }

template <class T>
struct Convolution : ::testing::Test {};
TYPED_TEST_SUITE(Convolution, StoredTypes);

TYPED_TEST(Convolution, AgreesWithTheReference) {
  using T = TypeParam;
  for_each_input([](const ConvolutionShape& s, auto generator) {
    const Floats x = representable<T>(generator(1, x_size(s))), weight = representable<T>(generator(2, weight_size(s)));
    const Floats bias = generator(3, s.out_channels);
    const Floats y = same_for_all_teams([&] {
      Buffer<T> out = stored<T>(Floats(y_size(s), NAN));
      Floats scratch = scratch_of(conv2d_scratch<T>(s, threads()));
      conv2d<T>(s, stored<T>(x), stored<T>(weight), bias, out, scratch);
      return loaded(out);
    });
    Doubles expected(y_size(s)), sums(y_size(s));
    reference::conv2d<double>(s, widen(x), widen(weight), widen(bias), expected);
    reference::conv2d<double>(s, widen(absolute(x)), widen(absolute(weight)), widen(absolute(bias)), sums);
    Doubles bound = bound_of(sums, s.taps() + 1);
    allow_storing<T>(expected, bound);
    expect_within(y, expected, bound);
  });
}

TYPED_TEST(Convolution, InputGradientAgreesWithTheReference) {
  using T = TypeParam;
  for_each_input([](const ConvolutionShape& s, auto generator) {
    const Floats dy = representable<T>(generator(1, y_size(s)));
    const Floats weight = representable<T>(generator(2, weight_size(s)));
    const Floats dx = same_for_all_teams([&] {
      Buffer<T> out = stored<T>(Floats(x_size(s), NAN));
      Floats scratch = scratch_of(conv2d_input_gradient_scratch<T>(s, threads()));
      conv2d_input_gradient<T>(s, stored<T>(weight), stored<T>(dy), out, scratch);
      return loaded(out);
    });
    Doubles expected(x_size(s)), sums(x_size(s));
    reference::conv2d_input_gradient<double>(s, widen(weight), widen(dy), expected);
    reference::conv2d_input_gradient<double>(s, widen(absolute(weight)), widen(absolute(dy)), sums);
    Doubles bound = bound_of(sums, s.out_channels * s.kernel_height * s.kernel_width);
    allow_storing<T>(expected, bound);
    expect_within(dx, expected, bound);
  });
}

TYPED_TEST(Convolution, WeightGradientAgreesWithTheReference) {
  using T = TypeParam;
  for_each_input([](const ConvolutionShape& s, auto generator) {
    const Floats x = representable<T>(generator(1, x_size(s))), dy = representable<T>(generator(2, y_size(s)));
    const std::size_t weights = weight_size(s);
    const Floats gradients = same_for_all_teams([&] {
      Floats dweight(weights, NAN), dbias(s.out_channels, NAN);
      Floats scratch = scratch_of(conv2d_weight_gradient_scratch(s, threads()));
      conv2d_weight_gradient<T>(s, stored<T>(x), stored<T>(dy), dweight, dbias, scratch);
      return joined({dweight, dbias});
    });
    const auto reference_gradients = [&](const Floats& in, const Floats& out) {
      Doubles all(weights + s.out_channels);
      reference::conv2d_weight_gradient<double>(s, widen(in), widen(out), std::span(all).first(weights),
                                                std::span(all).subspan(weights));
      return all;
    };
    expect_within(gradients, reference_gradients(x, dy),
                  bound_of(reference_gradients(absolute(x), absolute(dy)), s.batch * s.out_height() * s.out_width()));
  });
}

// An image has the same results alone as among others.
TYPED_TEST(Convolution, AnImageDoesNotKnowItsBatch) {
  using T = TypeParam;
  const ConvolutionShape all = shape_of(5, 2, 9, 8, 7, 3, 3, 1, 1), one = shape_of(1, 2, 9, 8, 7, 3, 3, 1, 1);
  const Buffer<T> x = stored<T>(uniform(1, x_size(all))), weight = stored<T>(uniform(2, weight_size(all)));
  const Floats bias = uniform(3, 7);
  Buffer<T> y(y_size(all)), lone(y.size()), dx(x.size()), lone_dx(x.size());
  Floats scratch = scratch_of(std::max(conv2d_scratch<T>(all, 1), conv2d_input_gradient_scratch<T>(all, 1)));
  conv2d<T>(all, x, weight, bias, y, scratch);
  conv2d_input_gradient<T>(all, weight, y, dx, scratch);
  for (std::size_t i = 0; i < 5; ++i) {
    const std::size_t in = x_size(one), out = y_size(one);
    conv2d<T>(one, std::span(x).subspan(i * in, in), weight, bias, std::span(lone).subspan(i * out, out), scratch);
    conv2d_input_gradient<T>(one, weight, std::span(y).subspan(i * out, out), std::span(lone_dx).subspan(i * in, in),
                             scratch);
  }
  EXPECT_TRUE(same_bits(loaded(lone), loaded(y)));
  EXPECT_TRUE(same_bits(loaded(lone_dx), loaded(dx)));
}

TEST(ConvolutionReference, HasItsDerivatives) {
  const ConvolutionShape s = shape_of(2, 2, 6, 5, 3, 3, 2, 2, 1);
  const Doubles x = widen(uniform(1, x_size(s))), weight = widen(uniform(2, weight_size(s)));
  const Doubles bias = widen(uniform(3, s.out_channels)), dy = widen(uniform(4, y_size(s)));
  Doubles dx(x.size()), dweight(weight.size()), dbias(bias.size());
  reference::conv2d_input_gradient<double>(s, weight, dy, dx);
  reference::conv2d_weight_gradient<double>(s, x, dy, dweight, dbias);
  // y with one operand complex.
  const auto complex_conv2d = [&](const std::vector<Complex>& in, const std::vector<Complex>& w,
                                  const std::vector<Complex>& b) {
    std::vector<Complex> y(dy.size());
    reference::conv2d<Complex>(s, in, w, b, y);
    return y;
  };
  const std::vector<Complex> cx(x.begin(), x.end()), cw(weight.begin(), weight.end()), cb(bias.begin(), bias.end());
  const Doubles by_x = complex_step_gradient([&](const auto& in) { return complex_conv2d(in, cw, cb); }, x, dy);
  const Doubles by_weight = complex_step_gradient([&](const auto& w) { return complex_conv2d(cx, w, cb); }, weight, dy);
  const Doubles by_bias = complex_step_gradient([&](const auto& b) { return complex_conv2d(cx, cw, b); }, bias, dy);
  // Products are below 1; a complex product is four.
  const auto bound = [](std::int64_t terms) { return 5.0 * static_cast<double>(terms * terms) * kDoubleRoundoff; };
  const std::int64_t pixels = s.batch * s.out_height() * s.out_width();
  for (std::size_t i = 0; i < dx.size(); ++i) EXPECT_NEAR(dx[i], by_x[i], bound(3 * 3 * 2));
  for (std::size_t i = 0; i < dweight.size(); ++i) EXPECT_NEAR(dweight[i], by_weight[i], bound(pixels));
  for (std::size_t i = 0; i < dbias.size(); ++i) EXPECT_NEAR(dbias[i], by_bias[i], bound(pixels));
}

}  // namespace
}  // namespace phasor::kernels
