#include "engine/ir/verifier.h"

#include "engine/ir/op_table.h"

namespace phasor {

namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph), defined_(graph.values.size(), false) {}

  void run() {
    for (Value input : graph_.inputs) define(input, -1);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) verify_node(static_cast<int>(i));
    for (std::size_t id = 0; id < defined_.size(); ++id) ensure(defined_[id], "graph: value %{} has no producer", id);
    for (Value output : graph_.outputs) expect_defined(output, "the graph's outputs");
  }

 private:
  void verify_node(int index) {
    const Node& node = graph_.nodes[index];
    const std::string place = fmt::format("node {} ({})", index, op_info(node.op).name);
    Specs inputs;
    for (Value input : node.inputs) {
      expect_defined(input, place);
      inputs.push_back(graph_.spec(input));
    }
    const Specs specs = output_specs(node.op, inputs, node.attributes);
    ensure(specs.size() == node.outputs.size(), "graph: {} has {} outputs, expected {}", place, node.outputs.size(),
           specs.size());
    for (std::size_t i = 0; i < specs.size(); ++i) {
      define(node.outputs[i], index);
      ensure(graph_.spec(node.outputs[i]) == specs[i], "graph: {} output {} is {}, expected {}", place, i,
             to_string(graph_.spec(node.outputs[i])), to_string(specs[i]));
    }
  }

  void define(Value value, int producer) {
    expect_exists(value, "a definition");
    ensure(!defined_[value.id], "graph: value %{} is defined twice", value.id);
    ensure(graph_[value].producer == producer, "graph: value %{} names producer {}, but node {} defines it", value.id,
           graph_[value].producer, producer);
    defined_[value.id] = true;
  }
  void expect_defined(Value value, std::string_view place) {
    expect_exists(value, place);
    ensure(defined_[value.id], "graph: {} uses value %{} before it is defined", place, value.id);
  }
  void expect_exists(Value value, std::string_view place) {
    ensure(value.valid() && value.id < static_cast<int>(defined_.size()), "graph: {} names value %{}, of {}", place,
           value.id, defined_.size());
  }

  const Graph& graph_;
  std::vector<bool> defined_;
};

}  // namespace

void verify(const Graph& graph) { Verifier(graph).run(); }

}  // namespace phasor
