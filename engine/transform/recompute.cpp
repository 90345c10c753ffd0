#include "engine/transform/recompute.h"

namespace phasor {

namespace {

class Recomputer {
 public:
  Recomputer(const Graph& graph, int first_backward, std::span<const Value> kept)
      : graph_(graph), first_backward_(first_backward), kept_(graph.values.size(), false), again_(graph.values.size()) {
    for (Value value : kept) kept_[value.id] = true;
    result_ = graph;
    result_.nodes.clear();
  }

  Graph run() {
    for (int i = 0; i < static_cast<int>(graph_.nodes.size()); ++i) {
      Node node = graph_.nodes[i];
      if (i >= first_backward_) {
        for (Value& input : node.inputs) input = backward_source(input);
      }
      push(std::move(node));
    }
    return std::move(result_);
  }

 private:
  // The value that a backward node reads in the place of `value`.
  Value backward_source(Value value) {
    const std::int32_t producer = graph_[value].producer;
    if (producer < 0 || producer >= first_backward_ || kept_[value.id]) return value;
    if (!again_[value.id].valid()) repeat(producer);
    return again_[value.id];
  }

  void repeat(std::int32_t index) {
    Node node = graph_.nodes[index];
    for (Value& input : node.inputs) input = backward_source(input);
    for (Value& output : node.outputs) {
      const Value copy{static_cast<std::int32_t>(result_.values.size())};
      result_.values.push_back(graph_[output]);
      again_[output.id] = copy;
      output = copy;
    }
    push(std::move(node));
  }

  void push(Node node) {
    for (Value output : node.outputs) result_[output].producer = static_cast<std::int32_t>(result_.nodes.size());
    result_.nodes.push_back(std::move(node));
  }

  const Graph& graph_;
  int first_backward_;
  std::vector<bool> kept_;
  std::vector<Value> again_;  // the repeated counterpart of a forward value, once there is one
  Graph result_;
};

}  // namespace

Graph recompute(const Graph& graph, int first_backward, std::span<const Value> kept) {
  return Recomputer(graph, first_backward, kept).run();
}

}  // namespace phasor
