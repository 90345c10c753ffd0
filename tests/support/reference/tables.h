// References of ops that look things up by number.
#pragma once

#include "engine/kernels/reference/elementwise.h"
#include "engine/kernels/reference/embedding.h"
#include "engine/kernels/reference/layout.h"
#include "tests/support/reference/node.h"

namespace phasor::test::reference_ops {

// Of the table, which is a slice if there is a k-th input: its position.
template <class T>
std::int64_t first_entry(const RunningNode<T>& node, int k) {
  const std::int64_t entries = node.template attributes<EmbeddingAttributes>().entries;
  return node.has(k) ? PositionRecord::read(node.longs(k)).slice * entries : 0;
}

template <class T>
void embedding(RunningNode<T>& node) {
  reference::embedding<T>(node.shape_in(0)[1], node.in(0), node.ids(1), node.out(0));
}

template <class T>
void embedding_slice(RunningNode<T>& node) {
  reference::copy<T>(node.in(0), node.out(0));
  reference::embedding_slice<T>(node.shape_in(1)[1], first_entry(node, 3), node.in(1), node.ids(2), node.out(0));
}

// Of ids and dy, inputs `first` and first + 1, and the position of a slice behind them.
template <class T>
void find_embedding_gradient(RunningNode<T>& node, int first, std::span<T> gradient) {
  reference::embedding_gradient<T>(node.shape_out(0)[1], node.template attributes<EmbeddingAttributes>().padding,
                                   node.ids(first), node.in(first + 1), gradient, first_entry(node, first + 2));
}

template <class T>
void embedding_gradient(RunningNode<T>& node) {
  find_embedding_gradient<T>(node, 0, node.out(0));
}

template <class T>
void embedding_gradient_add(RunningNode<T>& node) {
  std::vector<T> gradient(node.out(0).size());
  find_embedding_gradient<T>(node, 1, gradient);
  reference::add<T>(node.in(0), gradient, node.out(0));
}

// Of each token in its segment.
template <class T>
void places(RunningNode<T>& node) {
  const Segments segments = node.segments_in(0, node.shape_out(0));
  for (std::int64_t row = 0; row < segments.rows(); ++row) {
    for (std::int64_t token = 0; token < segments.sequence(); ++token) {
      node.ids_out(0)[row * segments.sequence() + token] =
          static_cast<std::int32_t>(token - segments.of_token(row, token).first);
    }
  }
}

}  // namespace phasor::test::reference_ops
