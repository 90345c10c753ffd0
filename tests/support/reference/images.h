// References of convolution and pooling.
#pragma once

#include "engine/kernels/reference/convolution.h"
#include "engine/kernels/reference/pooling.h"
#include "tests/support/reference/node.h"

namespace phasor::test::reference_ops {

template <class T>
kernels::ConvolutionShape convolution_shape(const RunningNode<T>& node, const Shape& x, const Shape& weight) {
  const auto& a = node.template attributes<ConvolutionAttributes>();
  return {.batch = x[0],
          .in_channels = x[1],
          .height = x[2],
          .width = x[3],
          .out_channels = weight[0],
          .kernel_height = weight[2],
          .kernel_width = weight[3],
          .stride = a.stride,
          .padding = a.padding};
}

template <class T>
void conv2d(RunningNode<T>& node) {
  reference::conv2d<T>(convolution_shape(node, node.shape_in(0), node.shape_in(1)), node.in(0), node.in(1), node.in(2),
                       node.out(0));
}

template <class T>
void conv2d_input_gradient(RunningNode<T>& node) {
  reference::conv2d_input_gradient<T>(convolution_shape(node, node.shape_out(0), node.shape_in(0)), node.in(0),
                                      node.in(1), node.out(0));
}

template <class T>
void conv2d_weight_gradient(RunningNode<T>& node) {
  reference::conv2d_weight_gradient<T>(convolution_shape(node, node.shape_in(0), node.shape_out(0)), node.in(0),
                                       node.in(1), node.out(0), node.out(1));
}

template <class T>
kernels::PoolingShape pooling_shape(const RunningNode<T>& node, const Shape& x) {
  const auto& a = node.template attributes<PoolingAttributes>();
  return {.planes = x[0] * x[1], .height = x[2], .width = x[3], .window = a.window, .stride = a.stride, .relu = a.relu};
}

template <class T>
void max_pool2d(RunningNode<T>& node) {
  reference::max_pool2d<T>(pooling_shape(node, node.shape_in(0)), node.in(0), node.out(0), node.bytes_out(1));
}

template <class T>
void max_pool2d_gradient(RunningNode<T>& node) {
  reference::max_pool2d_gradient<T>(pooling_shape(node, node.shape_out(0)), node.bytes(0), node.in(1), node.out(0));
}

}  // namespace phasor::test::reference_ops
