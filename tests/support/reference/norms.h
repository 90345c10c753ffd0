// References of layer normalisation.
#pragma once

#include "engine/kernels/reference/norm.h"
#include "tests/support/reference/elementwise.h"
#include "tests/support/reference/node.h"

namespace phasor::test::reference_ops {

template <class T>
void layer_norm(RunningNode<T>& node) {
  const float eps = node.template attributes<NormAttributes>().eps;
  reference::layer_norm<T>(eps, node.in(0), node.in(1), node.in(2), node.out(0), node.out(1), node.out(2));
}

template <class T>
void layer_norm_gradient(RunningNode<T>& node) {
  reference::layer_norm_gradient<T>(node.in(0), node.in(1), node.in(2), node.in(3), node.in(4), node.out(0),
                                    node.out(1), node.out(2));
}

template <class T>
void dropout_add_norm(RunningNode<T>& node) {
  const auto& [probability, site, eps] = node.template attributes<DropoutNormAttributes>();
  std::vector<T> dropped(node.out(0).size());
  drop<T>(node, node.position(4), site, probability, 5, node.in(0), dropped);
  reference::add<T>(dropped, node.in(1), node.out(0));
  reference::layer_norm<T>(eps, node.out(0), node.in(2), node.in(3), node.out(1), node.out(2), node.out(3));
}

template <class T>
void dropout_add_norm_gradient(RunningNode<T>& node) {
  const auto& [probability, site, eps] = node.template attributes<DropoutNormAttributes>();
  reference::layer_norm_gradient<T>(node.in(0), node.in(1), node.in(2), node.in(3), node.in(5), node.out(1),
                                    node.out(2), node.out(3));
  drop<T>(node, node.position(4), site, probability, 6, node.out(1), node.out(0));
}

}  // namespace phasor::test::reference_ops
