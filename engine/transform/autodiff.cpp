#include "engine/transform/autodiff.h"

#include "engine/ir/builder.h"
#include "engine/ir/op_table.h"
#include "engine/transform/gradients/rules.h"

namespace phasor {

namespace {

class Differentiator {
 public:
  Differentiator(Graph& graph, std::span<const Value> by)
      : graph_(graph), builder_(graph), depends_(graph.values.size(), false), gradients_(graph.values.size()) {
    for (Value value : by) depends_[value.id] = true;
    for (const Node& node : graph.nodes) {
      bool depends = false;
      for (Value input : node.inputs) depends |= depends_[input.id];
      for (Value output : node.outputs) depends_[output.id] = depends || depends_[output.id];
    }
  }

  void accumulate(Value value, Value gradient) {
    if (!gradient.valid() || !depends_[value.id]) return;
    Value& sum = gradients_[value.id];
    sum = sum.valid() ? builder_.add(sum, gradient) : gradient;
  }

  void run() {
    for (int i = static_cast<int>(graph_.nodes.size()) - 1; i >= 0; --i) {
      const Node node = graph_.nodes[i];  // a copy: the list grows
      std::vector<Value> dy;
      bool reached = false;
      for (Value output : node.outputs) {
        dy.push_back(gradients_[output.id]);
        reached |= dy.back().valid();
        name_gradient(output);
      }
      if (!reached) continue;
      const GradientRule rule = gradient_rule(node.op);
      ensure(rule != nullptr, "autodiff: {} has no gradient rule", op_info(node.op).name);
      const Gradients gradients = rule(builder_, node, dy);
      ensure(gradients.size() <= node.inputs.size(), "autodiff: {} has {} gradients for {} inputs",
             op_info(node.op).name, gradients.size(), node.inputs.size());
      for (std::size_t input = 0; input < gradients.size(); ++input) accumulate(node.inputs[input], gradients[input]);
    }
  }

  Value gradient(Value value) const { return gradients_[value.id]; }

 private:
  // Of a value that has a name, and whose gradient is complete.
  void name_gradient(Value value) {
    const Value gradient = gradients_[value.id];
    if (graph_[value].name.empty() || !gradient.valid() || !graph_[gradient].name.empty()) return;
    graph_[gradient].name = gradient_name(graph_[value].name);
  }

  Graph& graph_;
  Builder builder_;
  std::vector<bool> depends_;     // on one of the values to differentiate by
  std::vector<Value> gradients_;  // so far
};

}  // namespace

std::vector<Value> autodiff(Graph& graph, std::span<const Seed> seeds, std::span<const Value> by) {
  Differentiator differentiator(graph, by);
  for (const Seed& seed : seeds) {
    ensure(graph.spec(seed.y) == graph.spec(seed.dy), "autodiff: y is {} and dy is {}", to_string(graph.spec(seed.y)),
           to_string(graph.spec(seed.dy)));
    differentiator.accumulate(seed.y, seed.dy);
  }
  differentiator.run();
  std::vector<Value> gradients;
  for (Value value : by) gradients.push_back(differentiator.gradient(value));
  return gradients;
}

}  // namespace phasor
