#include "engine/kernels/convolution/convolution_pieces.h"

namespace phasor::kernels {

namespace {

using vectors::kWidth;
namespace hn = vectors::hn;

// Images are summed in groups, up to sixteen, which run side by side, and within a group in blocks: as many images as
// leave a tile's dy in the first-level cache while the block's planes pass by.
struct ImageGroups {
  explicit ImageGroups(const ConvolutionPlanes& layout) {
    constexpr std::int64_t kMostGroups = 16, kLeastImages = 8, kCached = 4096;
    const std::int64_t batch = layout.shape.batch;
    while (count < kMostGroups && batch >= 2 * count * kLeastImages) count *= 2;
    images = std::max<std::int64_t>(1, (batch + count - 1) / count);
    block = std::clamp<std::int64_t>(kCached / (5 * layout.run), 1, std::min<std::int64_t>(images, 16));
  }
  std::int64_t count = 1, images = 0;  // groups, images of a group but the last
  std::int64_t block = 0;              // images
};

// Where a block's images lie in a worker's scratch: planes, then runs of dy, of one after the other.
struct Block {
  Block(const ConvolutionPlanes& planes, std::int64_t most_images)
      : layout(planes),
        runs(most_images * layout.elements() + kWidth),
        elements(runs + most_images * layout.shape.out_channels * layout.run) {}

  const ConvolutionPlanes& layout;
  std::int64_t runs, elements;
  std::int64_t run_stride() const { return layout.shape.out_channels * layout.run; }
};

// dweight[o, .., k] += sum over a block's pixels of dy x, for `channels` output channels and `columns` kernel columns.
template <std::int64_t channels, std::int64_t columns>
void add_tile(const ConvolutionPlanes& layout, std::int64_t images, const float* x, const float* dy, float* dweight) {
  vectors::Floats sums[channels][columns];
  for (std::int64_t o = 0; o < channels; ++o)
    for (std::int64_t k = 0; k < columns; ++k) sums[o][k] = hn::Zero(vectors::kFloats);
  for (std::int64_t image = 0; image < images; ++image) {
    const float* const left = x + image * layout.elements();
    const float* const right = dy + image * layout.shape.out_channels * layout.run;
    for (std::int64_t pixel = 0; pixel < layout.run; pixel += kWidth) {
      vectors::Floats values[columns];
#pragma GCC unroll 8
      for (std::int64_t k = 0; k < columns; ++k) values[k] = vectors::load(left + k * layout.plane + pixel);
#pragma GCC unroll 8
      for (std::int64_t o = 0; o < channels; ++o) {
        const auto factor = vectors::load(right + o * layout.run + pixel);
#pragma GCC unroll 8
        for (std::int64_t k = 0; k < columns; ++k) sums[o][k] = hn::MulAdd(factor, values[k], sums[o][k]);
      }
    }
  }
  for (std::int64_t o = 0; o < channels; ++o)
    for (std::int64_t k = 0; k < columns; ++k)
      dweight[o * layout.shape.taps() + k] += hn::GetLane(hn::SumOfLanes(vectors::kFloats, sums[o][k]));
}

void add_block(const ConvolutionPlanes& layout, std::int64_t images, const float* planes, const float* runs,
               float* dweight, float* dbias) {
  const ConvolutionShape& shape = layout.shape;
  for_tiles(shape.out_channels, [&]<std::int64_t channels>(std::int64_t first) {
    const float* const dy = runs + first * layout.run;
    float* to = dweight + first * shape.taps();
    for (std::int64_t channel = 0; channel < shape.in_channels; ++channel)
      for (std::int64_t row = 0; row < shape.kernel_height; ++row, to += shape.kernel_width)
        for_tiles(shape.kernel_width, [&]<std::int64_t columns>(std::int64_t column) {
          add_tile<channels, columns>(layout, images, planes + layout.tap(channel, row, column), dy, to + column);
        });
  });
  for (std::int64_t o = 0; o < shape.out_channels; ++o)
    for (std::int64_t image = 0; image < images; ++image) {
      const float* const dy = runs + (image * shape.out_channels + o) * layout.run;
      auto sum = hn::Zero(vectors::kFloats);
      for (std::int64_t pixel = 0; pixel < layout.run; pixel += kWidth) sum = hn::Add(sum, vectors::load(dy + pixel));
      dbias[o] += hn::GetLane(hn::SumOfLanes(vectors::kFloats, sum));
    }
}

}  // namespace

template <class T>
void conv2d_weight_gradient(const ConvolutionShape& shape, std::span<const T> x, std::span<const T> dy,
                            std::span<float> dweight, std::span<float> dbias, std::span<float> scratch) {
  const ConvolutionPlanes layout(shape);
  const ImageGroups groups(layout);
  const Block block(layout, groups.block);
  const auto weights = static_cast<std::int64_t>(dweight.size()), biases = static_cast<std::int64_t>(dbias.size());
  float* const sums = scratch.data();  // of each group: dweight, dbias
  float* const workers = sums + groups.count * (weights + biases);
  parallel_for(groups.count, [&](std::int64_t group, int worker) {
    float* const own = workers + worker * block.elements;
    float* const sum = sums + group * (weights + biases);
    std::fill_n(sum, weights + biases, 0.0f);
    const std::int64_t end = std::min(shape.batch, (group + 1) * groups.images);
    for (std::int64_t first = group * groups.images; first < end; first += groups.block) {
      const std::int64_t images = std::min(groups.block, end - first);
      for (std::int64_t i = 0; i < images; ++i) {
        unfold(layout, x.data() + (first + i) * layout.image(), own + i * layout.elements());
        unfold_pixels(layout, dy.data() + (first + i) * layout.result(), own + block.runs + i * block.run_stride());
      }
      add_block(layout, images, own, own + block.runs, sum, sum + weights);
    }
  });
  for (std::int64_t i = 0; i < weights + biases; ++i) {
    float total = sums[i];
    for (std::int64_t group = 1; group < groups.count; ++group) total += sums[group * (weights + biases) + i];
    (i < weights ? dweight[i] : dbias[i - weights]) = total;
  }
}

std::int64_t conv2d_weight_gradient_scratch(const ConvolutionShape& shape, int workers) {
  const ConvolutionPlanes layout(shape);
  const ImageGroups groups(layout);
  return groups.count * shape.out_channels * (shape.taps() + 1) + workers * Block(layout, groups.block).elements;
}

template void conv2d_weight_gradient(const ConvolutionShape&, std::span<const float>, std::span<const float>,
                                     std::span<float>, std::span<float>, std::span<float>);
template void conv2d_weight_gradient(const ConvolutionShape&, std::span<const bfloat16>, std::span<const bfloat16>,
                                     std::span<float>, std::span<float>, std::span<float>);

}  // namespace phasor::kernels
