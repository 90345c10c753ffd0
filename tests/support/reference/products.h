// References of products and of what prepares them.
#pragma once

#include "engine/kernels/reference/matmul.h"
#include "tests/support/reference/node.h"

namespace phasor::test::reference_ops {

// The product of inputs `first` and first + 1.
template <class T>
void multiply(const RunningNode<T>& node, int first, std::span<T> product) {
  const auto& how = node.template attributes<MatmulAttributes>();
  const Shape &a = node.shape_in(first), &b = node.shape_in(first + 1);
  reference::matmul<T>({.m = how.transpose_a ? a.columns() : a.rows(),
                        .n = how.packed_columns > 0 ? how.packed_columns
                             : how.transpose_b      ? b.rows()
                                                    : b.columns(),
                        .k = how.transpose_a ? a.rows() : a.columns(),
                        .transpose_a = how.transpose_a,
                        .transpose_b = how.transpose_b},
                       node.in(first), node.in(first + 1), product);
}

template <class T>
void matmul(RunningNode<T>& node) {
  multiply<T>(node, 0, node.out(0));
  if (node.has(2)) node.add_to_out(0, node.in(2));
}

template <class T>
void matmul_add(RunningNode<T>& node) {
  std::vector<T> product(node.out(0).size());
  multiply<T>(node, 1, product);
  reference::add<T>(node.in(0), product, node.out(0));
}

// Here, packing keeps elements where they are.
template <class T>
void pack(RunningNode<T>& node) {
  for (int i = 0; i < node.inputs(); ++i) std::ranges::copy(node.in(i), node.out(i).begin());
}

}  // namespace phasor::test::reference_ops
