// References of ops on single elements, and of those that move them.
#pragma once

#include "engine/kernels/reference/dropout.h"
#include "engine/kernels/reference/elementwise.h"
#include "engine/kernels/reference/gelu.h"
#include "engine/kernels/reference/layout.h"
#include "engine/kernels/reference/relu.h"
#include "tests/support/reference/node.h"

namespace phasor::test::reference_ops {

template <class T>
void add(RunningNode<T>& node) {
  reference::add<T>(node.in(0), node.in(1), node.out(0));
}

template <class T>
void reduce_sum(RunningNode<T>& node) {
  reference::reduce_sum<T>(node.in(0), node.out(0));
}

template <class T>
GeluKind gelu_kind(const RunningNode<T>& node) {
  return node.template attributes<GeluAttributes>().kind;
}

template <class T>
void gelu(RunningNode<T>& node) {
  reference::gelu<T>(gelu_kind(node), node.in(0), node.out(0));
}

template <class T>
void gelu_gradient(RunningNode<T>& node) {
  reference::gelu_gradient<T>(gelu_kind(node), node.in(0), node.in(1), node.out(0));
}

template <class T>
void gelu_with_gradient(RunningNode<T>& node) {
  gelu_gradient(node);
  reference::gelu<T>(gelu_kind(node), node.in(0), node.out(1));
}

template <class T>
void relu(RunningNode<T>& node) {
  reference::relu<T>(node.in(0), node.out(0));
}

template <class T>
void relu_gradient(RunningNode<T>& node) {
  reference::relu_gradient<T>(node.in(0), node.in(1), node.out(0));
}

// Of a tensor of the first input's shape. Input k, where there is one, is its segments.
template <class T>
void drop(const RunningNode<T>& node, const RandomPosition& at, std::int64_t site, float probability, int k,
          std::span<const T> x, std::span<T> y) {
  if (node.has(k)) return reference::dropout<T>(at, site, probability, node.segments_in(k, node.shape_in(0)), x, y);
  reference::dropout<T>(at, site, probability, node.shape_in(0)[0], x, y);
}

template <class T>
void dropout(RunningNode<T>& node) {
  const auto& [probability, site] = node.template attributes<DropoutAttributes>();
  drop<T>(node, node.position(1), site, probability, 2, node.in(0), node.out(0));
}

// Shapes and dtypes change; rounding is what references do without.
template <class T>
void copy(RunningNode<T>& node) {
  reference::copy<T>(node.in(0), node.out(0));
}

template <class T>
void transpose(RunningNode<T>& node) {
  reference::transpose<T>(node.shape_in(0).rows(), node.shape_in(0).columns(), node.in(0), node.out(0));
}

}  // namespace phasor::test::reference_ops
