#include "engine/kernels/convolution/convolution_planes.h"

namespace phasor::kernels {

namespace {

// Of `count` rows of a plane, or columns, those that lie within the image, [begin, end), and the image's row or column
// at `begin`. `shift` is that at 0.
struct Visible {
  Visible(std::int64_t shift, std::int64_t stride, std::int64_t size, std::int64_t count)
      : begin(std::min(count, shift < 0 ? (stride - 1 - shift) / stride : 0)),
        end(std::clamp(shift < size ? (size - 1 - shift) / stride + 1 : 0, begin, count)),
        first(shift + begin * stride) {}
  std::int64_t begin, end, first;
};

Visible visible_rows(const ConvolutionPlanes& layout, std::int64_t phase) {
  const ConvolutionShape& shape = layout.shape;
  return {phase - shape.padding, shape.stride, shape.height, layout.rows};
}
Visible visible_columns(const ConvolutionPlanes& layout, std::int64_t kernel_column) {
  const ConvolutionShape& shape = layout.shape;
  return {kernel_column - shape.padding, shape.stride, shape.width, layout.columns};
}

// By whole vectors where they can be read: up to a vector behind the last element is written.
template <class T>
void copy_row(const T* from, const T* readable, std::int64_t count, float* to) {
  std::int64_t i = 0;
  for (; i < count && from + i + vectors::kWidth <= readable; i += vectors::kWidth)
    vectors::store(vectors::load(from + i), to + i);
  for (; i < count; ++i) to[i] = to_float(from[i]);
}

// Calls body(phase, kernel column) for each plane of a channel, in their order.
template <class Body>
void for_planes(const ConvolutionPlanes& layout, Body body) {
  for (std::int64_t phase = 0; phase < layout.phases; ++phase)
    for (std::int64_t column = 0; column < layout.shape.kernel_width; ++column) body(phase, column);
}

// One plane, of the channel x. `readable`: the end of the image.
template <class T>
void unfold_plane(const ConvolutionPlanes& layout, const Visible& rows, const Visible& columns, const T* x,
                  const T* readable, float* plane) {
  const std::int64_t stride = layout.shape.stride;
  float* to = std::fill_n(plane, rows.begin * layout.columns, 0.0f);
  x += rows.first * layout.shape.width + columns.first;
  for (std::int64_t r = rows.begin; r < rows.end; ++r, x += stride * layout.shape.width) {
    std::fill_n(to, columns.begin, 0.0f);
    if (stride == 1) {
      copy_row(x, readable, columns.end - columns.begin, to + columns.begin);
    } else {
      for (std::int64_t j = columns.begin; j < columns.end; ++j) to[j] = to_float(x[(j - columns.begin) * stride]);
    }
    to = std::fill_n(to + columns.end, layout.columns - columns.end, 0.0f);
  }
  std::fill(to, plane + layout.plane, 0.0f);
}

// What a plane holds, added to the channel.
void fold_plane(const ConvolutionPlanes& layout, const Visible& rows, const Visible& columns, const float* plane,
                float* channel) {
  const std::int64_t stride = layout.shape.stride, count = columns.end - columns.begin;
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const float* from = plane + r * layout.columns + columns.begin;
    float* to = channel + (rows.first + (r - rows.begin) * stride) * layout.shape.width + columns.first;
    if (stride == 1) {
      for (std::int64_t j = 0; j < count; ++j) to[j] += from[j];
    } else {
      for (std::int64_t j = 0; j < count; ++j) to[j * stride] += from[j];
    }
  }
}

}  // namespace

template <class T>
void unfold(const ConvolutionPlanes& layout, const T* x, float* planes) {
  const T* const readable = x + layout.image();
  for (std::int64_t channel = 0; channel < layout.shape.in_channels; ++channel, x += layout.channel())
    for_planes(layout, [&](std::int64_t phase, std::int64_t column) {
      unfold_plane(layout, visible_rows(layout, phase), visible_columns(layout, column), x, readable, planes);
      planes += layout.plane;
    });
}

template <class T>
void fold(const ConvolutionPlanes& layout, const float* planes, float* channel, T* x) {
  for (std::int64_t c = 0; c < layout.shape.in_channels; ++c, x += layout.channel()) {
    std::fill_n(channel, layout.channel(), 0.0f);
    for_planes(layout, [&](std::int64_t phase, std::int64_t column) {
      fold_plane(layout, visible_rows(layout, phase), visible_columns(layout, column), planes, channel);
      planes += layout.plane;
    });
    for (std::int64_t i = 0; i < layout.channel(); ++i) x[i] = from_float<T>(channel[i]);
  }
}

template <class T>
void unfold_pixels(const ConvolutionPlanes& layout, const T* dy, float* runs) {
  for (std::int64_t o = 0; o < layout.shape.out_channels; ++o, dy += layout.pixels, runs += layout.run) {
    for (std::int64_t i = 0; i < layout.pixels; ++i) runs[i] = to_float(dy[i]);
    for (std::int64_t i = layout.pixels; i < layout.run; ++i) runs[i] = 0;
  }
}

template void unfold(const ConvolutionPlanes&, const float*, float*);
template void unfold(const ConvolutionPlanes&, const bfloat16*, float*);
template void fold(const ConvolutionPlanes&, const float*, float*, float*);
template void fold(const ConvolutionPlanes&, const float*, float*, bfloat16*);
template void unfold_pixels(const ConvolutionPlanes&, const float*, float*);
template void unfold_pixels(const ConvolutionPlanes&, const bfloat16*, float*);

}  // namespace phasor::kernels
