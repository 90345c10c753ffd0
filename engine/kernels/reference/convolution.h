// Reference of engine/kernels/convolution/convolution.h.
#pragma once

#include <algorithm>
#include <span>

#include "engine/kernels/convolution/convolution.h"

namespace phasor::reference {

// Calls body(x, weight, y), the numbers of three elements, for every product weight * x that is part of y.
template <class Body>
void for_each_product(const kernels::ConvolutionShape& s, Body body) {
  const std::int64_t out_height = s.out_height(), out_width = s.out_width();
  for (std::int64_t b = 0; b < s.batch; ++b)
    for (std::int64_t o = 0; o < s.out_channels; ++o)
      for (std::int64_t i = 0; i < out_height; ++i)
        for (std::int64_t j = 0; j < out_width; ++j)
          for (std::int64_t c = 0; c < s.in_channels; ++c)
            for (std::int64_t k = 0; k < s.kernel_height; ++k)
              for (std::int64_t l = 0; l < s.kernel_width; ++l) {
                const std::int64_t row = i * s.stride + k - s.padding, column = j * s.stride + l - s.padding;
                if (row < 0 || row >= s.height || column < 0 || column >= s.width) continue;
                body(((b * s.in_channels + c) * s.height + row) * s.width + column,
                     ((o * s.in_channels + c) * s.kernel_height + k) * s.kernel_width + l,
                     ((b * s.out_channels + o) * out_height + i) * out_width + j);
              }
}

// y = bias + the products
template <class T>
void conv2d(const kernels::ConvolutionShape& shape, std::span<const T> x, std::span<const T> weight,
            std::span<const T> bias, std::span<T> y) {
  const std::int64_t pixels = shape.out_height() * shape.out_width();
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = bias[static_cast<std::size_t>(static_cast<std::int64_t>(i) / pixels % shape.out_channels)];
  for_each_product(shape, [&](auto in, auto tap, auto out) { y[out] += weight[tap] * x[in]; });
}

template <class T>
void conv2d_input_gradient(const kernels::ConvolutionShape& shape, std::span<const T> weight, std::span<const T> dy,
                           std::span<T> dx) {
  std::ranges::fill(dx, T{});
  for_each_product(shape, [&](auto in, auto tap, auto out) { dx[in] += weight[tap] * dy[out]; });
}

template <class T>
void conv2d_weight_gradient(const kernels::ConvolutionShape& shape, std::span<const T> x, std::span<const T> dy,
                            std::span<T> dweight, std::span<T> dbias) {
  std::ranges::fill(dweight, T{});
  std::ranges::fill(dbias, T{});
  for_each_product(shape, [&](auto in, auto tap, auto out) { dweight[tap] += dy[out] * x[in]; });
  const std::int64_t pixels = shape.out_height() * shape.out_width();
  for (std::size_t i = 0; i < dy.size(); ++i)
    dbias[static_cast<std::size_t>(static_cast<std::int64_t>(i) / pixels % shape.out_channels)] += dy[i];
}

}  // namespace phasor::reference
