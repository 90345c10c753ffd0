#include "engine/ir/printer.h"

#include <fmt/ranges.h>

#include "engine/ir/op_table.h"

namespace phasor {

namespace {

std::string label(const Graph& graph, Value value) {
  const std::string& name = graph[value].name;
  return name.empty() ? fmt::format("%{}", value.id) : fmt::format("%{}.{}", value.id, name);
}

std::string products_text(Products products) {
  return products == Products::automatic ? "" : fmt::format(" by {}", backend_name(products));
}

struct AttributesText {
  std::string operator()(const NoAttributes&) const { return {}; }
  std::string operator()(const MatmulAttributes& a) const {
    return fmt::format("{}{}{}{}", a.transpose_a ? " transpose_a" : "", a.transpose_b ? " transpose_b" : "",
                       a.packed_columns > 0 ? " packed_b" : "", products_text(a.products));
  }
  std::string operator()(const PackAttributes& a) const {
    std::string text;
    for (const PackedOperand& operand : a.operands)
      text += (operand.transpose_b ? " [n, k]" : " [k, n]") + products_text(operand.products);
    return text;
  }
  std::string operator()(const ShapeAttributes&) const { return {}; }  // the result's shape tells it
  std::string operator()(const GeluAttributes& a) const { return a.kind == GeluKind::tanh ? " tanh" : ""; }
  std::string operator()(const DropoutAttributes& a) const {
    return fmt::format(" probability={} site={}", a.probability, a.site);
  }
  std::string operator()(const AttentionAttributes& a) const {
    return fmt::format(" heads={}{}{} probability={} site={}{}", a.heads, a.causal ? " causal" : "",
                       a.longest > 0 ? fmt::format(" longest={}", a.longest) : "", a.probability, a.site,
                       products_text(a.products));
  }
  std::string operator()(const CachedAttentionAttributes& a) const { return fmt::format(" heads={}", a.heads); }
  std::string operator()(const ConvolutionAttributes& a) const {
    return fmt::format(" stride={} padding={}", a.stride, a.padding);
  }
  std::string operator()(const PoolingAttributes& a) const {
    return fmt::format(" window={} stride={}{}", a.window, a.stride, a.relu ? " relu" : "");
  }
  std::string operator()(const NormAttributes& a) const { return fmt::format(" eps={}", a.eps); }
  std::string operator()(const DropoutNormAttributes& a) const {
    return fmt::format(" probability={} site={} eps={}", a.probability, a.site, a.eps);
  }
  std::string operator()(const ConvertAttributes&) const { return {}; }
  std::string operator()(const EmbeddingAttributes& a) const {
    return (a.padding < 0 ? "" : fmt::format(" padding={}", a.padding)) +
           (a.whole == 0 ? "" : fmt::format(" whole={}", a.whole));
  }
  std::string operator()(const VocabularyAttributes& a) const {
    return (a.whole == 0 ? "" : fmt::format(" whole={}", a.whole)) + products_text(a.products);
  }
  std::string operator()(const AdamAttributes& a) const {
    return fmt::format(" beta1={} beta2={} eps={} weight_decay={}{}", a.beta1, a.beta2, a.eps, a.weight_decay,
                       a.decoupled ? " decoupled" : "");
  }
  std::string operator()(const DescentAttributes& a) const {
    return fmt::format(" momentum={} weight_decay={}{}", a.momentum, a.weight_decay, a.nesterov ? " nesterov" : "");
  }
  std::string operator()(const AdafactorAttributes& a) const {
    return fmt::format(" matrices={} rows={} columns={} weight_decay={}", a.matrices, a.rows, a.columns,
                       a.weight_decay);
  }
  std::string operator()(const StochasticRoundAttributes& a) const {
    return fmt::format(" number={} shard_elements={} first={} slice_elements={}", a.number, a.shard_elements, a.first,
                       a.slice_elements);
  }
  std::string operator()(const ClipAttributes& a) const { return fmt::format(" max_norm={}", a.max_norm); }
};

std::vector<std::string> labels(const Graph& graph, const std::vector<Value>& values, bool with_spec) {
  std::vector<std::string> texts;
  for (Value value : values) {
    texts.push_back(with_spec ? fmt::format("{}: {}", label(graph, value), to_string(graph.spec(value)))
                              : label(graph, value));
  }
  return texts;
}

}  // namespace

std::string to_string(const Graph& graph) {
  std::string text = fmt::format("inputs  {}\n", fmt::join(labels(graph, graph.inputs, true), ", "));
  for (const Node& node : graph.nodes) {
    text +=
        fmt::format("  {} = {}({}){}\n", fmt::join(labels(graph, node.outputs, true), ", "), op_info(node.op).name,
                    fmt::join(labels(graph, node.inputs, false), ", "), std::visit(AttributesText{}, node.attributes));
  }
  return text + fmt::format("outputs {}\n", fmt::join(labels(graph, graph.outputs, false), ", "));
}

std::string describe_node(const Graph& graph, std::size_t node) {
  const auto& [op, attributes, inputs, outputs] = graph.nodes[node];
  const OpInfo& info = op_info(op);
  std::vector<std::string> operands = labels(graph, inputs, true);
  for (std::size_t k = 0; k < inputs.size(); ++k) operands[k] = fmt::format("{} {}", info.input(k).name, operands[k]);
  return fmt::format("node {}, {}({}){}", node, info.name, fmt::join(operands, ", "),
                     std::visit(AttributesText{}, attributes));
}

}  // namespace phasor
