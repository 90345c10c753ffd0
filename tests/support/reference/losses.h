// References of losses: of classes, and of words of a vocabulary.
#pragma once

#include "engine/kernels/reference/elementwise.h"
#include "engine/kernels/reference/loss.h"
#include "engine/kernels/reference/vocabulary.h"
#include "tests/support/reference/node.h"

namespace phasor::test::reference_ops {

// Input k.
template <class T>
Segments segments_of_logits(const RunningNode<T>& node, int k) {
  return node.segments_in(k, {node.shape_in(k)[0], node.shape_in(0)[1]});
}

template <class T>
void cross_entropy(RunningNode<T>& node) {
  if (node.has(3)) {
    return reference::cross_entropy<T>(node.in(0), segments_of_logits(node, 3), node.ids(1), node.in(2), node.out(0));
  }
  reference::cross_entropy<T>(node.in(0), node.ids(1), node.in(2), node.out(0));
}

template <class T>
void cross_entropy_gradient(RunningNode<T>& node) {
  if (node.has(4)) {
    return reference::cross_entropy_gradient<T>(node.in(0), segments_of_logits(node, 4), node.ids(1), node.in(2),
                                                node.in(3), node.out(0));
  }
  reference::cross_entropy_gradient<T>(node.in(0), node.ids(1), node.in(2), node.in(3), node.out(0));
}

// Of x and weight, inputs x and x + 1. Input k, where there is one, is the position.
template <class T>
reference::VocabularySlice vocabulary_slice(const RunningNode<T>& node, int k, int x = 0) {
  const std::int64_t entries = node.shape_in(x + 1)[0];
  const std::int64_t whole = node.template attributes<VocabularyAttributes>().whole;
  const std::int64_t first = node.has(k) ? PositionRecord::read(node.longs(k)).slice * entries : 0;
  return {.tokens = node.shape_in(x).rows(),
          .width = node.shape_in(x).columns(),
          .used = node.has(k) ? std::clamp<std::int64_t>(whole - first, 0, entries) : entries,
          .first = first};
}

// Input k, where there is one: what earlier slices have found.
template <class T>
std::span<const T> of_slices_before(const RunningNode<T>& node, int k) {
  return node.has(k) ? node.in(k) : std::span<const T>();
}

template <class T>
void vocabulary_sums(RunningNode<T>& node) {
  reference::vocabulary_sums<T>(vocabulary_slice(node, 4), node.in(0), node.in(1), node.ids(2), node.in(3),
                                of_slices_before(node, 5), node.out(0));
}

template <class T>
void vocabulary_loss(RunningNode<T>& node) {
  reference::vocabulary_loss<T>(node.in(0), node.in(1), node.out(0));
}

template <class T>
void vocabulary_loss_gradient(RunningNode<T>& node) {
  reference::vocabulary_loss_gradient<T>(node.in(0), node.in(1), node.in(2), node.out(0));
}

// Of x, weight, labels, dsums and what follows, from input `first` on.
template <class T>
void find_vocabulary_gradient(RunningNode<T>& node, int first) {
  reference::vocabulary_gradient<T>(vocabulary_slice(node, first + 4, first), node.in(first), node.in(first + 1),
                                    node.ids(first + 2), node.in(first + 3), node.out(0), node.out(1));
  if (node.has(first + 5)) node.add_to_out(1, node.in(first + 5));
}

template <class T>
void vocabulary_gradient(RunningNode<T>& node) {
  find_vocabulary_gradient(node, 0);
}

template <class T>
void vocabulary_gradient_add(RunningNode<T>& node) {
  find_vocabulary_gradient(node, 1);
  node.add_to_out(0, node.in(0));
}

template <class T>
void vocabulary_sums_with_gradient(RunningNode<T>& node) {
  const reference::VocabularySlice whole = vocabulary_slice(node, 6, 1);
  reference::vocabulary_sums<T>(whole, node.in(1), node.in(2), node.ids(3), node.in(4), {}, node.out(2));
  reference::vocabulary_loss_gradient<T>(node.out(2), node.in(4), node.in(5), node.out(3));
  reference::vocabulary_gradient<T>(whole, node.in(1), node.in(2), node.ids(3), node.out(3), node.out(0), node.out(1));
  node.add_to_out(0, node.in(0));
}

template <class T>
void vocabulary_logits(RunningNode<T>& node) {
  reference::VocabularySlice slice = vocabulary_slice(node, 3);
  slice.tokens = node.shape_in(0)[0];
  reference::vocabulary_logits_of_last<T>(slice, node.shape_in(0)[1], node.shape_out(0)[1], node.in(0), node.in(1),
                                          node.ids(2), of_slices_before(node, 4), node.out(0));
}

}  // namespace phasor::test::reference_ops
