// References of attention.
#pragma once

#include "engine/kernels/reference/attention.h"
#include "engine/kernels/reference/attention_cached.h"
#include "engine/kernels/reference/layout.h"
#include "tests/support/reference/node.h"

namespace phasor::test::reference_ops {

template <class T>
kernels::AttentionShape attention_shape(const RunningNode<T>& node) {
  const auto& a = node.template attributes<AttentionAttributes>();
  const Shape& qkv = node.shape_in(0);
  return {.rows = qkv[0],
          .sequence = qkv[1],
          .heads = a.heads,
          .head_size = qkv[2] / 3 / a.heads,
          .causal = a.causal,
          .longest = a.longest,
          .dropout_probability = a.probability,
          .site = a.site};
}

template <class T>
void attention(RunningNode<T>& node) {
  reference::attention<T>(attention_shape(node), node.position(2), node.in(0), node.segments_in(1, node.shape_in(0)),
                          node.out(0), node.out(1));
}

template <class T>
void attention_gradient(RunningNode<T>& node) {
  reference::attention_gradient<T>(attention_shape(node), node.position(2), node.in(0),
                                   node.segments_in(1, node.shape_in(0)), node.in(3), node.in(4), node.in(5),
                                   node.out(0));
}

template <class T>
void attention_cached(RunningNode<T>& node) {
  const std::int64_t heads = node.template attributes<CachedAttentionAttributes>().heads;
  const Shape &cache = node.shape_in(0), &qkv = node.shape_in(1);
  const kernels::CachedAttentionShape shape{
      .rows = qkv[0], .tokens = qkv[1], .room = cache[1], .heads = heads, .head_size = qkv[2] / 3 / heads};
  reference::copy<T>(node.in(0), node.out(0));
  reference::attention_cached<T>(shape, node.in(1), node.ids(2), node.ids(3), node.out(0), node.out(1));
}

}  // namespace phasor::test::reference_ops
