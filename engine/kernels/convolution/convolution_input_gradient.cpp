#include "engine/kernels/convolution/convolution_pieces.h"

namespace phasor::kernels {

namespace {

using vectors::kWidth;
namespace hn = vectors::hn;

// What dy says of the elements that `columns` neighbouring taps read, added to their runs: `count` vectors.
template <std::int64_t columns, std::int64_t count>
void add_tile(const ConvolutionPlanes& layout, const float* weight, const float* dy, float* run) {
  vectors::Floats sums[columns][count];
  for (std::int64_t k = 0; k < columns; ++k)
    for (std::int64_t v = 0; v < count; ++v) sums[k][v] = hn::Zero(vectors::kFloats);
  for (std::int64_t o = 0; o < layout.shape.out_channels; ++o, weight += layout.shape.taps(), dy += layout.run) {
    vectors::Floats values[count];
#pragma GCC unroll 8
    for (std::int64_t v = 0; v < count; ++v) values[v] = vectors::load(dy + v * kWidth);
#pragma GCC unroll 8
    for (std::int64_t k = 0; k < columns; ++k) {
      const auto factor = hn::Set(vectors::kFloats, weight[k]);
#pragma GCC unroll 8
      for (std::int64_t v = 0; v < count; ++v) sums[k][v] = hn::MulAdd(factor, values[v], sums[k][v]);
    }
  }
  for (std::int64_t k = 0; k < columns; ++k)
    for (std::int64_t v = 0; v < count; ++v) {
      float* const to = run + k * layout.plane + v * kWidth;
      vectors::store(hn::Add(vectors::load(to), sums[k][v]), to);
    }
}

// One image's dy, as runs, to what it says of each element of its planes.
void gradient_of_planes(const ConvolutionPlanes& layout, const float* weight, const float* dy, float* planes) {
  const ConvolutionShape& shape = layout.shape;
  std::fill_n(planes, layout.elements(), 0.0f);
  for (std::int64_t channel = 0; channel < shape.in_channels; ++channel)
    for (std::int64_t row = 0; row < shape.kernel_height; ++row, weight += shape.kernel_width)
      for_tiles(shape.kernel_width, [&]<std::int64_t columns>(std::int64_t first) {
        float* const run = planes + layout.tap(channel, row, first);
        std::int64_t pixel = 0;
        for (; pixel + kTileVectors * kWidth <= layout.run; pixel += kTileVectors * kWidth)
          add_tile<columns, kTileVectors>(layout, weight + first, dy + pixel, run + pixel);
        for (; pixel < layout.run; pixel += kWidth)
          add_tile<columns, 1>(layout, weight + first, dy + pixel, run + pixel);
      });
}

// Of one worker: the planes, runs of dy, and a channel of dx.
struct WorkerScratch {
  explicit WorkerScratch(const ConvolutionPlanes& layout)
      : runs(layout.elements()),
        channel(runs + layout.shape.out_channels * layout.run),
        elements(channel + vectors::round_up(layout.channel())) {}
  std::int64_t runs, channel, elements;
};

}  // namespace

template <class T>
void conv2d_input_gradient(const ConvolutionShape& shape, std::span<const T> weight, std::span<const T> dy,
                           std::span<T> dx, std::span<float> scratch) {
  const ConvolutionPlanes layout(shape);
  const WorkerScratch parts(layout);
  const float* const factors = as_floats(weight, scratch.data());
  float* const workers = scratch.data() + weight_scratch<T>(shape);
  parallel_for_images(layout, [&](std::int64_t image, int worker) {
    float* const own = workers + worker * parts.elements;
    unfold_pixels(layout, dy.data() + image * layout.result(), own + parts.runs);
    gradient_of_planes(layout, factors, own + parts.runs, own);
    fold(layout, own, own + parts.channel, dx.data() + image * layout.image());
  });
}

template <class T>
std::int64_t conv2d_input_gradient_scratch(const ConvolutionShape& shape, int workers) {
  return weight_scratch<T>(shape) + workers * WorkerScratch(ConvolutionPlanes(shape)).elements;
}

template void conv2d_input_gradient(const ConvolutionShape&, std::span<const float>, std::span<const float>,
                                    std::span<float>, std::span<float>);
template void conv2d_input_gradient(const ConvolutionShape&, std::span<const bfloat16>, std::span<const bfloat16>,
                                    std::span<bfloat16>, std::span<float>);
template std::int64_t conv2d_input_gradient_scratch<float>(const ConvolutionShape&, int);
template std::int64_t conv2d_input_gradient_scratch<bfloat16>(const ConvolutionShape&, int);

}  // namespace phasor::kernels
