// A node of bounded size that is timed in place of others.
#pragma once

#include <string>

#include "engine/ir/graph.h"
#include "engine/ir/op_table.h"

namespace phasor {

// Some milliseconds of work on a core and kMostSampleBytes at most, whatever it stands for. Most nodes that are no
// larger are their own samples.
struct NodeSample {
  Op op{};
  Attributes attributes;  // without what tells nodes apart that cost the same, such as sites
  Specs inputs;
  std::int64_t integers = 1;  // what its i32 inputs count up to: entries of a table, classes of logits
  // Whether its operands come from far: no cache holds what other phases and micro-batches have used since.
  bool from_far = false;
};

inline constexpr std::int64_t kMostSampleBytes = 64 << 20;

// Fewer rows of what is done row by row, smaller sizes of products, fewer heads: what is left runs at much the same
// rate, in units of work_of a second, on a team of `threads`.
NodeSample sample_of(const Graph& graph, const Node& node, int threads);

// What its inputs take, and its outputs that do not lie where inputs do.
std::int64_t bytes_of(const NodeSample& sample);

// Equal for samples that cost the same, on one line: "gelu f32[4, 384, 512] -> f32[4, 384, 512]".
std::string name_of(const NodeSample& sample);

// The node alone: its inputs are the graph's inputs, its outputs the graph's outputs.
Graph graph_of(const NodeSample& sample);

// What a node's time is proportional to: the flops of its products, or else the bytes that it moves.
double work_of(const Graph& graph, const Node& node);

}  // namespace phasor
