#include "engine/transform/fuse.h"

#include <optional>

#include "engine/transform/rewrite.h"

namespace phasor {

namespace {

class Fusion {
 public:
  explicit Fusion(const Stage& stage)
      : rewrite_(stage), graph_(stage.graph), uses_(graph_.values.size(), 0), absorbed_(graph_.nodes.size(), false) {
    for (const Node& node : graph_.nodes) {
      for (Value input : node.inputs) ++uses_[input.id];
    }
    for (Value output : graph_.outputs) ++uses_[output.id];
  }

  Stage run() {
    for (const Node& node : graph_.nodes) {
      if (const auto add = normalised_sum(node)) absorb(node.inputs[0], add->inputs[0]);
      if (const Node* product = biased_product(node)) absorb(product->outputs[0]);
    }
    for (Value input : graph_.inputs) {
      rewrite_.map(input, rewrite_.builder().graph().add_input(graph_.spec(input), graph_[input].name));
    }
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!absorbed_[i]) emit(graph_.nodes[i]);
    }
    return rewrite_.finish();
  }

 private:
  // The node that makes `value`, if it is an `op` and nothing but one other node uses its results.
  const Node* sole(Value value, Op op) const {
    const int producer = graph_[value].producer;
    if (producer < 0 || graph_.nodes[producer].op != op || uses_[value.id] != 1) return nullptr;
    return &graph_.nodes[producer];
  }

  // The add of layer_norm(add(dropout(x), residual)), where the node is such a norm.
  const Node* normalised_sum(const Node& node) const {
    if (node.op != Op::layer_norm) return nullptr;
    const Node* add = sole(node.inputs[0], Op::add);
    if (!add || !sole(add->inputs[0], Op::dropout)) return nullptr;
    return graph_.spec(add->inputs[0]) == graph_.spec(add->inputs[1]) ? add : nullptr;
  }

  // The matmul of add(matmul(a, b), bias), where the node is such an add.
  const Node* biased_product(const Node& node) const {
    if (node.op != Op::add) return nullptr;
    const Node* product = sole(node.inputs[0], Op::matmul);
    if (!product || product->inputs.size() != 2 || graph_.spec(node.inputs[1]).shape.rank() != 1) return nullptr;
    return product;
  }

  template <class... Values>
  void absorb(Values... values) {
    ((absorbed_[static_cast<std::size_t>(graph_[values].producer)] = true), ...);
  }

  void emit(const Node& node) {
    Builder& b = rewrite_.builder();
    if (const Node* add = normalised_sum(node)) {
      const Node& dropout = graph_.nodes[graph_[add->inputs[0]].producer];
      const auto& [probability, site] = std::get<DropoutAttributes>(dropout.attributes);
      const auto fused = b.dropout_add_norm(
          rewrite_[dropout.inputs[0]], rewrite_[add->inputs[1]], rewrite_[node.inputs[1]], rewrite_[node.inputs[2]],
          rewrite_[dropout.inputs[1]],
          {.probability = probability, .site = site, .eps = std::get<NormAttributes>(node.attributes).eps});
      rewrite_.map(node.outputs[0], fused.y);
      rewrite_.map(node.outputs[1], fused.mean);
      rewrite_.map(node.outputs[2], fused.rstd);
    } else if (const Node* product = biased_product(node)) {
      rewrite_.map(node.outputs[0],
                   b.matmul(rewrite_[product->inputs[0]], rewrite_[product->inputs[1]],
                            std::get<MatmulAttributes>(product->attributes), rewrite_[node.inputs[1]]));
    } else {
      rewrite_.copy(node);
    }
  }

  Rewrite rewrite_;
  const Graph& graph_;
  std::vector<int> uses_;       // of each value
  std::vector<bool> absorbed_;  // nodes that a later one swallows
};

}  // namespace

Stage fuse(const Stage& stage) { return Fusion(stage).run(); }

}  // namespace phasor
