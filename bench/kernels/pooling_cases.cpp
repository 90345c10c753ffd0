// Behind the first convolution of a network for digits, on 40 images: maxima with relu, and their gradient.
#include "bench/kernels/map_case.h"
#include "engine/kernels/convolution/pooling.h"
#include "engine/kernels/reference/pooling.h"

namespace phasor::bench {

namespace {

constexpr kernels::PoolingShape kShape{.planes = 40 * 10, .height = 24, .width = 24, .relu = true};
constexpr std::int64_t kElements = kShape.planes * kShape.height * kShape.width, kWindows = kElements / 4;

template <class T>
KernelCase max_pool2d_case() {
  const Elements<T> x = uniform<T>(1, kElements), y(kWindows);
  const Elements<std::uint8_t> indices(kWindows);
  return {.limit = Limit::memory,
          .type = dtype_of<T>,
          .work = bytes_of<T>(kElements + kWindows) + kWindows,
          .run = [=] { kernels::max_pool2d<T>(kShape, x.in(), y.out(), indices.out()); },
          .compare =
              [=] {
                Doubles expected(kWindows);
                std::vector<std::uint8_t> chosen(kWindows);
                reference::max_pool2d<double>(kShape, widen(x), expected, chosen);
                return std::vector{Comparison{widen(y), expected}};
              }};
}

template <class T>
KernelCase max_pool2d_gradient_case(int threads) {
  const Elements<T> x = uniform<T>(1, kElements), dy = uniform<T>(2, kWindows), y(kWindows), dx(kElements);
  const Elements<std::uint8_t> indices(kWindows);
  const Floats scratch(kernels::max_pool2d_gradient_scratch(kShape, threads));
  kernels::max_pool2d<T>(kShape, x.in(), y.out(), indices.out());
  return {.limit = Limit::memory,
          .type = dtype_of<T>,
          .work = bytes_of<T>(kElements + kWindows) + kWindows,
          .run = [=] { kernels::max_pool2d_gradient<T>(kShape, indices.in(), dy.in(), dx.out(), scratch.out()); },
          .compare =
              [=] {
                Doubles expected(kElements);
                reference::max_pool2d_gradient<double>(kShape, indices.in(), widen(dy), expected);
                return std::vector{Comparison{widen(dx), expected}};
              }};
}

}  // namespace

KernelEntries pooling_cases() {
  return in_both_types([]<class T> {
    return KernelEntries{
        {case_name<T>("max_pool2d"), [](int) { return max_pool2d_case<T>(); }},
        {case_name<T>("max_pool2d_gradient"), [](int threads) { return max_pool2d_gradient_case<T>(threads); }}};
  });
}

}  // namespace phasor::bench
