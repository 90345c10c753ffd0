#include "engine/transform/fuse_gelu.h"

#include <algorithm>
#include <vector>

#include "engine/ir/operands.h"

namespace phasor {

namespace {

// The nodes behind `first` that depend on its results, among those in front of `end`.
std::vector<bool> dependents(const Graph& graph, int first, int end) {
  std::vector<bool> depends(graph.values.size(), false), nodes(graph.nodes.size(), false);
  for (Value output : graph.nodes[first].outputs) depends[output.id] = true;
  for (int i = first + 1; i < end; ++i) {
    const auto& inputs = graph.nodes[i].inputs;
    nodes[i] = std::ranges::any_of(inputs, [&](Value input) { return depends[input.id]; });
    for (Value output : graph.nodes[i].outputs) depends[output.id] = nodes[i];
  }
  return nodes;
}

void join(Graph& graph, int gelu, int gradient) {
  const std::vector<bool> later = dependents(graph, gelu, gradient + 1);
  if (later[gradient]) return;
  Node joined = graph.nodes[gradient];
  joined.op = Op::gelu_with_gradient;
  joined.outputs.push_back(graph.nodes[gelu].outputs[0]);

  std::vector<Node> nodes;
  for (int i = 0; i < static_cast<int>(graph.nodes.size()); ++i) {
    if (i == gradient) {
      nodes.push_back(joined);
      for (int k = gelu; k < gradient; ++k) {
        if (later[k]) nodes.push_back(graph.nodes[k]);
      }
    } else if (i != gelu && !later[i]) {
      nodes.push_back(graph.nodes[i]);
    }
  }
  graph.nodes = std::move(nodes);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (Value output : graph.nodes[i].outputs) graph[output].producer = static_cast<std::int32_t>(i);
  }
}

// The number of the gelu_gradient behind `gelu` with the same x and of the same kind, or -1.
int gradient_of(const Graph& graph, int gelu) {
  for (int i = gelu + 1; i < static_cast<int>(graph.nodes.size()); ++i) {
    const Node& node = graph.nodes[i];
    if (node.op != Op::gelu_gradient || node.attributes != graph.nodes[gelu].attributes) continue;
    if (inputs_of<Op::gelu_gradient>(node)["x"] == inputs_of<Op::gelu>(graph.nodes[gelu])["x"]) return i;
  }
  return -1;
}

}  // namespace

Graph fuse_gelu(Graph graph, int first) {
  // From the back: joining changes the numbers of later nodes alone.
  for (int i = static_cast<int>(graph.nodes.size()) - 1; i >= first; --i) {
    if (graph.nodes[i].op != Op::gelu) continue;
    const int gradient = gradient_of(graph, i);
    if (gradient >= 0) join(graph, i, gradient);
  }
  return graph;
}

}  // namespace phasor
