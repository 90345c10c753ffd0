#include "engine/kernels/convolution/convolution.h"

#include "engine/kernels/convolution/convolution_pieces.h"

namespace phasor::kernels {

namespace {

using vectors::kWidth;
namespace hn = vectors::hn;

// `channels` output channels from `first` on, `count` vectors of pixels from `pixel` on.
template <std::int64_t channels, std::int64_t count, class T>
void multiply_tile(const ConvolutionPlanes& layout, const float* planes, const float* weight, const float* bias,
                   std::int64_t first, std::int64_t pixel, T* y) {
  const ConvolutionShape& shape = layout.shape;
  const std::int64_t taps = shape.taps();
  vectors::Floats sums[channels][count];
  for (std::int64_t o = 0; o < channels; ++o)
    for (std::int64_t v = 0; v < count; ++v) sums[o][v] = hn::Set(vectors::kFloats, bias[first + o]);
  weight += first * taps;
  const float* plane = planes + pixel;
  for (std::int64_t channel = 0; channel < shape.in_channels;
       ++channel, weight += shape.kernel_height * shape.kernel_width)
    for (std::int64_t phase = 0; phase < layout.phases; ++phase)
      for (std::int64_t column = 0; column < shape.kernel_width; ++column, plane += layout.plane) {
        const float* x = plane;
        for (std::int64_t row = phase; row < shape.kernel_height; row += shape.stride, x += layout.columns) {
          const float* w = weight + row * shape.kernel_width + column;
          vectors::Floats values[count];
#pragma GCC unroll 8
          for (std::int64_t v = 0; v < count; ++v) values[v] = vectors::load(x + v * kWidth);
#pragma GCC unroll 8
          for (std::int64_t o = 0; o < channels; ++o) {
            const auto factor = hn::Set(vectors::kFloats, w[o * taps]);
#pragma GCC unroll 8
            for (std::int64_t v = 0; v < count; ++v) sums[o][v] = hn::MulAdd(factor, values[v], sums[o][v]);
          }
        }
      }
  for (std::int64_t o = 0; o < channels; ++o)
    for (std::int64_t v = 0; v < count; ++v) {
      const std::int64_t at = pixel + v * kWidth;
      vectors::store_first(sums[o][v], y + (first + o) * layout.pixels + at, std::min(kWidth, layout.pixels - at));
    }
}

}  // namespace

template <class T>
void conv2d(const ConvolutionShape& shape, std::span<const T> x, std::span<const T> weight, std::span<const float> bias,
            std::span<T> y, std::span<float> scratch) {
  const ConvolutionPlanes layout(shape);
  const float* const factors = as_floats(weight, scratch.data());
  float* const planes = scratch.data() + weight_scratch<T>(shape);
  parallel_for_images(layout, [&](std::int64_t image, int worker) {
    float* const unfolded = planes + worker * (layout.elements() + kWidth);
    unfold(layout, x.data() + image * layout.image(), unfolded);
    T* const out = y.data() + image * layout.result();
    for_tiles(shape.out_channels, [&]<std::int64_t channels>(std::int64_t first) {
      std::int64_t pixel = 0;
      for (; pixel + kTileVectors * kWidth <= layout.run; pixel += kTileVectors * kWidth)
        multiply_tile<channels, kTileVectors>(layout, unfolded, factors, bias.data(), first, pixel, out);
      for (; pixel < layout.run; pixel += kWidth)
        multiply_tile<channels, 1>(layout, unfolded, factors, bias.data(), first, pixel, out);
    });
  });
}

template <class T>
std::int64_t conv2d_scratch(const ConvolutionShape& shape, int workers) {
  return weight_scratch<T>(shape) + workers * (ConvolutionPlanes(shape).elements() + kWidth);
}

template void conv2d(const ConvolutionShape&, std::span<const float>, std::span<const float>, std::span<const float>,
                     std::span<float>, std::span<float>);
template void conv2d(const ConvolutionShape&, std::span<const bfloat16>, std::span<const bfloat16>,
                     std::span<const float>, std::span<bfloat16>, std::span<float>);
template std::int64_t conv2d_scratch<float>(const ConvolutionShape&, int);
template std::int64_t conv2d_scratch<bfloat16>(const ConvolutionShape&, int);

}  // namespace phasor::kernels
