// The convolutions of a network for digits, on 40 images: 1 channel to 10 and 10 channels to 20, kernels of 5 by 5.
#include "bench/kernels/map_case.h"
#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/reference/convolution.h"

namespace phasor::bench {

namespace {

using kernels::ConvolutionShape;

constexpr ConvolutionShape kFirst{.batch = 40,
                                  .in_channels = 1,
                                  .height = 28,
                                  .width = 28,
                                  .out_channels = 10,
                                  .kernel_height = 5,
                                  .kernel_width = 5};
constexpr ConvolutionShape kSecond{.batch = 40,
                                   .in_channels = 10,
                                   .height = 12,
                                   .width = 12,
                                   .out_channels = 20,
                                   .kernel_height = 5,
                                   .kernel_width = 5};

std::int64_t x_elements(const ConvolutionShape& s) { return s.batch * s.in_channels * s.height * s.width; }
std::int64_t y_elements(const ConvolutionShape& s) { return s.batch * s.out_channels * s.out_height() * s.out_width(); }
std::int64_t weights(const ConvolutionShape& s) { return s.out_channels * s.taps(); }
double flops(const ConvolutionShape& s) { return 2 * static_cast<double>(y_elements(s) * s.taps()); }

template <class T>
KernelCase conv2d_case(const ConvolutionShape& s, int threads) {
  const Elements<T> x = uniform<T>(1, x_elements(s)), weight = uniform<T>(2, weights(s)), y(y_elements(s));
  const Floats bias = uniform(3, s.out_channels), scratch(kernels::conv2d_scratch<T>(s, threads));
  return {.limit = Limit::products,
          .type = dtype_of<T>,
          .work = flops(s),
          .run = [=] { kernels::conv2d<T>(s, x.in(), weight.in(), bias.in(), y.out(), scratch.out()); },
          .compare =
              [=] {
                Doubles expected(y_elements(s));
                reference::conv2d<double>(s, widen(x), widen(weight), widen(bias), expected);
                return std::vector{Comparison{widen(y), expected}};
              }};
}

template <class T>
KernelCase input_gradient_case(const ConvolutionShape& s, int threads) {
  const Elements<T> weight = uniform<T>(1, weights(s)), dy = uniform<T>(2, y_elements(s)), dx(x_elements(s));
  const Floats scratch(kernels::conv2d_input_gradient_scratch<T>(s, threads));
  return {.limit = Limit::products,
          .type = dtype_of<T>,
          .work = flops(s),
          .run = [=] { kernels::conv2d_input_gradient<T>(s, weight.in(), dy.in(), dx.out(), scratch.out()); },
          .compare =
              [=] {
                Doubles expected(x_elements(s));
                reference::conv2d_input_gradient<double>(s, widen(weight), widen(dy), expected);
                return std::vector{Comparison{widen(dx), expected}};
              }};
}

template <class T>
KernelCase weight_gradient_case(const ConvolutionShape& s, int threads) {
  const Elements<T> x = uniform<T>(1, x_elements(s)), dy = uniform<T>(2, y_elements(s));
  const Floats dweight(weights(s)), dbias(s.out_channels);
  const Floats scratch(kernels::conv2d_weight_gradient_scratch(s, threads));
  return {
      .limit = Limit::products,
      .type = dtype_of<T>,
      .work = flops(s),
      .run = [=] { kernels::conv2d_weight_gradient<T>(s, x.in(), dy.in(), dweight.out(), dbias.out(), scratch.out()); },
      .compare =
          [=] {
            Doubles expected(weights(s)), expected_bias(s.out_channels);
            reference::conv2d_weight_gradient<double>(s, widen(x), widen(dy), expected, expected_bias);
            return std::vector{Comparison{widen(dweight), expected}, Comparison{widen(dbias), expected_bias}};
          }};
}

}  // namespace

// Of the first convolution nobody asks for dx: its x are the images.
KernelEntries convolution_cases() {
  return in_both_types([]<class T> {
    return KernelEntries{
        {case_name<T>("conv2d/first"), [](int threads) { return conv2d_case<T>(kFirst, threads); }},
        {case_name<T>("conv2d/first_dw"), [](int threads) { return weight_gradient_case<T>(kFirst, threads); }},
        {case_name<T>("conv2d/second"), [](int threads) { return conv2d_case<T>(kSecond, threads); }},
        {case_name<T>("conv2d/second_dw"), [](int threads) { return weight_gradient_case<T>(kSecond, threads); }},
        {case_name<T>("conv2d/second_dx"), [](int threads) { return input_gradient_case<T>(kSecond, threads); }}};
  });
}

}  // namespace phasor::bench
