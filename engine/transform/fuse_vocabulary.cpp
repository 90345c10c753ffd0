#include "engine/transform/fuse_vocabulary.h"

#include <algorithm>
#include <optional>

#include "engine/ir/operands.h"

namespace phasor {

namespace {

// The numbers of the nodes from the sums to the gradient.
struct Chain {
  int sums, message, gradient;
};

// The number of the node that makes the value, if it is such an op; or else -1.
int producer_of(const Graph& graph, Value value, Op op) {
  const int producer = graph[value].producer;
  return producer >= 0 && graph.nodes[producer].op == op ? producer : -1;
}

bool reads(const Node& node, Value value) { return std::ranges::find(node.inputs, value) != node.inputs.end(); }

// Of the gradient, if it is of a whole table in f32 and of sums of the same.
std::optional<Chain> chain_of(const Graph& graph, int gradient) {
  const Node& node = graph.nodes[gradient];
  if (node.op != Op::vocabulary_gradient_add) return std::nullopt;
  const auto in = inputs_of<Op::vocabulary_gradient_add>(node);
  if (in.has("position") || in.has("dx_sum")) return std::nullopt;
  if (graph.spec(in["x"]).dtype != DType::f32 || graph.spec(in["weight"]).dtype != DType::f32) return std::nullopt;
  const int message = producer_of(graph, in["dsums"], Op::vocabulary_loss_gradient);
  if (message < 0) return std::nullopt;
  const auto of_message = inputs_of<Op::vocabulary_loss_gradient>(graph.nodes[message]);
  const int sums = producer_of(graph, of_message["sums"], Op::vocabulary_sums);
  if (sums < 0) return std::nullopt;
  const auto of_sums = inputs_of<Op::vocabulary_sums>(graph.nodes[sums]);
  const bool same = of_sums["x"] == in["x"] && of_sums["weight"] == in["weight"] && of_sums["labels"] == in["labels"] &&
                    of_sums["label_weights"] == of_message["label_weights"] &&
                    graph.nodes[sums].attributes == node.attributes && !of_sums.has("sums_before");
  return same ? std::optional(Chain{sums, message, gradient}) : std::nullopt;
}

// The losses that come in front of the gradient and can come behind it; nothing where anything else reads the sums or
// the message.
std::optional<std::vector<int>> losses_of(const Graph& graph, const Chain& chain) {
  const Value sums = graph.nodes[chain.sums].outputs[0], message = graph.nodes[chain.message].outputs[0];
  std::vector<int> losses;
  for (int i = chain.sums + 1; i < static_cast<int>(graph.nodes.size()); ++i) {
    const Node& node = graph.nodes[i];
    const bool of_loss = std::ranges::any_of(losses, [&](int k) { return reads(node, graph.nodes[k].outputs[0]); });
    const bool needs_sums = i != chain.message && i < chain.gradient && reads(node, sums);
    if (of_loss && i <= chain.gradient) return std::nullopt;
    if (i != chain.gradient && reads(node, message)) return std::nullopt;
    if (needs_sums && node.op != Op::vocabulary_loss) return std::nullopt;
    if (needs_sums) losses.push_back(i);
  }
  return losses;
}

Node joined(const Graph& graph, const Chain& chain) {
  const auto of_sums = inputs_of<Op::vocabulary_sums>(graph.nodes[chain.sums]);
  Node node = graph.nodes[chain.gradient];
  node.op = Op::vocabulary_sums_with_gradient;
  node.inputs = {inputs_of<Op::vocabulary_gradient_add>(graph.nodes[chain.gradient])["sum"],
                 of_sums["x"],
                 of_sums["weight"],
                 of_sums["labels"],
                 of_sums["label_weights"],
                 inputs_of<Op::vocabulary_loss_gradient>(graph.nodes[chain.message])["dloss"]};
  for (const int made : {chain.sums, chain.message}) node.outputs.push_back(graph.nodes[made].outputs[0]);
  return node;
}

void join(Graph& graph, const Chain& chain, const std::vector<int>& losses) {
  std::vector<Node> nodes;
  for (int i = 0; i < static_cast<int>(graph.nodes.size()); ++i) {
    const bool later = std::ranges::find(losses, i) != losses.end();
    if (i == chain.gradient) {
      nodes.push_back(joined(graph, chain));
      for (const int loss : losses) nodes.push_back(graph.nodes[loss]);
    } else if (i != chain.sums && i != chain.message && !later) {
      nodes.push_back(graph.nodes[i]);
    }
  }
  graph.nodes = std::move(nodes);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (Value output : graph.nodes[i].outputs) graph[output].producer = static_cast<std::int32_t>(i);
  }
}

}  // namespace

Graph fuse_vocabulary(Graph graph) {
  for (int i = static_cast<int>(graph.nodes.size()) - 1; i >= 0; --i) {
    const auto chain = chain_of(graph, i);
    const auto losses = chain ? losses_of(graph, *chain) : std::nullopt;
    if (!losses) continue;
    join(graph, *chain, *losses);
    i = chain->sums;  // nothing has changed in front of it
  }
  return graph;
}

}  // namespace phasor
