// Convolution of images, as networks mean it (the kernel is not mirrored), and its gradients. T is float or bfloat16
// (see elementwise.h). Made for few channels: vectors lie along the pixels of a channel, so that one channel fills
// them, too.
//
//   x      [batch, in_channels, height, width], padded by zeros on all four sides
//   weight [out_channels, in_channels, kernel_height, kernel_width]
//   y      [batch, out_channels, out_height, out_width]:
//   y[b, o, i, j] = bias[o] + sum over c, k, l of weight[o, c, k, l] x[b, c, i stride + k - padding, j stride + l -
//   padding]
//
// Sums are made in float. Work is cut by images, so that bits depend on neither threads nor, in y and dx, on the batch.
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/bfloat16.h"

namespace phasor::kernels {

struct ConvolutionShape {
  std::int64_t batch = 0, in_channels = 0, height = 0, width = 0;
  std::int64_t out_channels = 0, kernel_height = 0, kernel_width = 0;
  std::int64_t stride = 1, padding = 0;

  std::int64_t out_height() const { return (height + 2 * padding - kernel_height) / stride + 1; }
  std::int64_t out_width() const { return (width + 2 * padding - kernel_width) / stride + 1; }
  std::int64_t taps() const { return in_channels * kernel_height * kernel_width; }  // products that make one pixel
};

// Every scratch has the number of elements that the function of its name returns, for teams of at most `workers`
// threads.
template <class T>
void conv2d(const ConvolutionShape& shape, std::span<const T> x, std::span<const T> weight, std::span<const float> bias,
            std::span<T> y, std::span<float> scratch);
template <class T>
std::int64_t conv2d_scratch(const ConvolutionShape& shape, int workers);

// dx[b, c, h, w] = sum of weight[o, c, k, l] dy[b, o, i, j] over what takes x[b, c, h, w] to y[b, o, i, j].
template <class T>
void conv2d_input_gradient(const ConvolutionShape& shape, std::span<const T> weight, std::span<const T> dy,
                           std::span<T> dx, std::span<float> scratch);
template <class T>
std::int64_t conv2d_input_gradient_scratch(const ConvolutionShape& shape, int workers);

// dweight[o, c, k, l] = sum over b, i, j of dy[b, o, i, j] x[b, c, i stride + k - padding, j stride + l - padding],
// dbias[o] = sum over b, i, j of dy[b, o, i, j]. Groups of images are summed for themselves, then in order.
template <class T>
void conv2d_weight_gradient(const ConvolutionShape& shape, std::span<const T> x, std::span<const T> dy,
                            std::span<float> dweight, std::span<float> dbias, std::span<float> scratch);
std::int64_t conv2d_weight_gradient_scratch(const ConvolutionShape& shape, int workers);

}  // namespace phasor::kernels
