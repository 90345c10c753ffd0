#include "engine/transform/fuse.h"

#include <optional>

#include "engine/ir/operands.h"
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
      if (const Node* add = normalised_sum(node)) absorb(add->outputs[0], inputs_of<Op::add>(*add)["a"]);
      if (const Node* product = biased_product(node)) absorb(product->outputs[0]);
      if (const Node* pooling = rectified_maxima(node)) absorb(pooling->outputs[0]);
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
    const Node* add = sole(inputs_of<Op::layer_norm>(node)["x"], Op::add);
    if (!add) return nullptr;
    const auto terms = inputs_of<Op::add>(*add);
    return sole(terms["a"], Op::dropout) && graph_.spec(terms["a"]) == graph_.spec(terms["b"]) ? add : nullptr;
  }

  // The matmul of add(matmul(a, b), bias), where the node is such an add.
  const Node* biased_product(const Node& node) const {
    if (node.op != Op::add) return nullptr;
    const auto terms = inputs_of<Op::add>(node);
    const Node* product = sole(terms["a"], Op::matmul);
    if (!product || inputs_of<Op::matmul>(*product).has("bias")) return nullptr;
    return graph_.spec(terms["b"]).shape.rank() == 1 ? product : nullptr;
  }

  // The pooling of relu(max_pool2d(x)), where the node is such a relu.
  const Node* rectified_maxima(const Node& node) const {
    return node.op == Op::relu ? sole(inputs_of<Op::relu>(node)["x"], Op::max_pool2d) : nullptr;
  }

  template <class... Values>
  void absorb(Values... values) {
    ((absorbed_[static_cast<std::size_t>(graph_[values].producer)] = true), ...);
  }

  void emit(const Node& node) {
    if (const Node* add = normalised_sum(node)) {
      emit_dropout_add_norm(node, *add);
    } else if (const Node* product = biased_product(node)) {
      const auto factors = inputs_of<Op::matmul>(*product);
      const Value bias = inputs_of<Op::add>(node)["b"];
      rewrite_.map(node.outputs[0],
                   rewrite_.builder().matmul(rewrite_[factors["a"]], rewrite_[factors["b"]],
                                             std::get<MatmulAttributes>(product->attributes), rewrite_[bias]));
    } else if (const Node* pooling = rectified_maxima(node)) {
      auto attributes = std::get<PoolingAttributes>(pooling->attributes);
      attributes.relu = true;
      const Value x = inputs_of<Op::max_pool2d>(*pooling)["x"];
      rewrite_.map(node.outputs[0], rewrite_.builder().max_pool2d(rewrite_[x], attributes).y);
    } else {
      rewrite_.copy(node);
    }
  }

  void emit_dropout_add_norm(const Node& norm, const Node& add) {
    const auto terms = inputs_of<Op::add>(add);
    const Node& dropout = graph_.nodes[graph_[terms["a"]].producer];
    const auto dropped = inputs_of<Op::dropout>(dropout);
    const auto in = inputs_of<Op::layer_norm>(norm);
    const auto out = outputs_of<Op::layer_norm>(norm);
    const auto& [probability, site] = std::get<DropoutAttributes>(dropout.attributes);
    const auto fused = rewrite_.builder().dropout_add_norm(
        rewrite_[dropped["x"]], rewrite_[terms["b"]], rewrite_[in["gamma"]], rewrite_[in["beta"]],
        rewrite_[dropped["position"]],
        {.probability = probability, .site = site, .eps = std::get<NormAttributes>(norm.attributes).eps},
        dropped.has("segments") ? rewrite_[dropped["segments"]] : Value{});
    rewrite_.map(out["y"], fused.y);
    rewrite_.map(out["mean"], fused.mean);
    rewrite_.map(out["rstd"], fused.rstd);
  }

  Rewrite rewrite_;
  const Graph& graph_;
  std::vector<int> uses_;       // of each value
  std::vector<bool> absorbed_;  // nodes that a later one swallows
};

}  // namespace

Stage fuse(const Stage& stage) { return Fusion(stage).run(); }

}  // namespace phasor
