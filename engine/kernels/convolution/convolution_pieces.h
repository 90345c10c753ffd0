// What convolution and its gradients share: how work is cut into pieces of images and tiles of channels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "engine/base/parallel.h"
#include "engine/kernels/convolution/convolution_planes.h"

namespace phasor::kernels {

// Of output channels, or of kernel columns: a tile's sums, kTile for each of kTile vectors or fewer, stay in registers,
// of which there are 32 with vectors of 16 lanes and 16 with shorter ones.
inline constexpr std::int64_t kTile = vectors::kWidth == 16 ? 5 : 3;
inline constexpr std::int64_t kTileVectors = 4;

// Calls body.template operator()<size>(first) for tiles that cover [0, count), as equal as can be.
template <class Body>
void for_tiles(std::int64_t count, Body&& body) {
  const std::int64_t tiles = (count + kTile - 1) / kTile;
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    const std::int64_t first = tile * count / tiles, size = (tile + 1) * count / tiles - first;
    [&]<std::size_t... n>(std::index_sequence<n...>) {
      ((size == n + 1 ? body.template operator()<static_cast<std::int64_t>(n) + 1>(first) : void()), ...);
    }
    (std::make_index_sequence<kTile>());
  }
}

// Images of a piece of y or dx: enough to repay handing it out.
inline std::int64_t piece_images(const ConvolutionPlanes& layout) {
  constexpr std::int64_t kOperations = 200'000;
  const std::int64_t operations = 2 * layout.result() * layout.shape.taps();
  return std::max<std::int64_t>(1, kOperations / std::max<std::int64_t>(1, operations));
}

// Calls body(image, worker) for all images, in pieces of them.
template <class Body>
void parallel_for_images(const ConvolutionPlanes& layout, Body&& body) {
  const std::int64_t batch = layout.shape.batch, images = piece_images(layout);
  parallel_for((batch + images - 1) / images, [&](std::int64_t piece, int worker) {
    for (std::int64_t image = piece * images; image < std::min(batch, (piece + 1) * images); ++image)
      body(image, worker);
  });
}

// The weights as floats: themselves, or in scratch.
inline const float* as_floats(std::span<const float> weight, float*) { return weight.data(); }
inline const float* as_floats(std::span<const bfloat16> weight, float* scratch) {
  for (std::size_t i = 0; i < weight.size(); ++i) scratch[i] = to_float(weight[i]);
  return scratch;
}
template <class T>
std::int64_t weight_scratch(const ConvolutionShape& shape) {
  return std::is_same_v<T, float> ? 0 : vectors::round_up(shape.out_channels * shape.taps());
}

}  // namespace phasor::kernels
