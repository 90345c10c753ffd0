// What convolution and its gradients share: an image unfolded along its width alone, into planes.
//
// There is a plane for each input channel, phase (a row's number modulo the stride) and column of the kernel. Its row r
// has, for each output column j, the element of row r stride + phase and column j stride + kernel column of the padded
// image. So what a tap, one element of the kernel, reads for all pixels of the output is one run in a plane, from its
// row (kernel row / stride) on. After Cho and Brand, "MEC: Memory-efficient Convolution for Deep Neural Network", 2017.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/simd/vectors.h"

namespace phasor::kernels {

struct ConvolutionPlanes {
  explicit ConvolutionPlanes(const ConvolutionShape& convolution)
      : shape(convolution),
        columns(shape.out_width()),
        pixels(shape.out_height() * columns),
        run(vectors::round_up(pixels)),
        phases(std::min(shape.stride, shape.kernel_height)),
        rows(shape.out_height() + (shape.kernel_height - 1) / shape.stride),
        plane(vectors::round_up((rows - shape.out_height()) * columns) + run) {}

  ConvolutionShape shape;
  std::int64_t columns, pixels;  // of the output
  std::int64_t run;              // elements that a tap reads: the pixels, and what fills the last vector
  std::int64_t phases, rows;     // rows: of a plane
  std::int64_t plane;            // elements; behind the rows are zeros

  std::int64_t planes() const { return shape.in_channels * phases * shape.kernel_width; }
  std::int64_t elements() const { return planes() * plane; }
  // Where the tap's run begins. From one kernel column to the next it is `plane` elements.
  std::int64_t tap(std::int64_t channel, std::int64_t kernel_row, std::int64_t kernel_column) const {
    return ((channel * phases + kernel_row % shape.stride) * shape.kernel_width + kernel_column) * plane +
           kernel_row / shape.stride * columns;
  }

  // Elements of an image, and of one channel of it; of its y.
  std::int64_t channel() const { return shape.height * shape.width; }
  std::int64_t image() const { return shape.in_channels * channel(); }
  std::int64_t result() const { return shape.out_channels * pixels; }
};

// One image x [in_channels, height, width] into planes. Writes up to a vector behind them.
template <class T>
void unfold(const ConvolutionPlanes& layout, const T* x, float* planes);

// x = the sums of what planes hold for each of its elements. `channel` is scratch of layout.channel() elements.
template <class T>
void fold(const ConvolutionPlanes& layout, const float* planes, float* channel, T* x);

// One image's dy [out_channels, pixels] as runs, with zeros behind the pixels: [out_channels, run].
template <class T>
void unfold_pixels(const ConvolutionPlanes& layout, const T* dy, float* runs);

}  // namespace phasor::kernels
