#include "engine/transform/hoist.h"

#include <algorithm>

namespace phasor {

Graph hoist(Graph graph, int first) {
  // position[i]: the node of the fixed part that node i follows; -1 for the start.
  std::vector<int> position(graph.nodes.size());
  for (int i = 0; i < static_cast<int>(graph.nodes.size()); ++i) {
    position[i] = i;
    if (i < first) continue;
    position[i] = -1;
    for (Value input : graph.nodes[i].inputs) {
      const int producer = graph[input].producer;
      if (producer >= 0) position[i] = std::max(position[i], position[producer]);
    }
  }
  std::vector<int> order(graph.nodes.size());
  for (int i = 0; i < static_cast<int>(order.size()); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return position[a] < position[b]; });

  std::vector<Node> nodes;
  for (int i : order) {
    for (Value output : graph.nodes[i].outputs) graph[output].producer = static_cast<std::int32_t>(nodes.size());
    nodes.push_back(std::move(graph.nodes[i]));
  }
  graph.nodes = std::move(nodes);
  return graph;
}

}  // namespace phasor
