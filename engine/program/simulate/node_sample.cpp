#include "engine/program/simulate/node_sample.h"

#include <algorithm>
#include <concepts>
#include <fmt/ranges.h>

#include "engine/ir/builder.h"
#include "engine/plan/cost.h"
#include "engine/program/simulate/sample_cuts.h"

namespace phasor {

namespace {

// At least half of it is left, which is enough for a product to be cut into as many pieces (kernels/matmul.cpp).
constexpr double kFlopsOfThread = 6.25e8;
constexpr int kLeastThreads = 2;

// Attributes that do not change what a node costs, or whose effect the specs show.
template <class A>
concept Costless = std::same_as<A, NoAttributes> || std::same_as<A, ShapeAttributes> ||
    std::same_as<A, NormAttributes> || std::same_as<A, ConvertAttributes> || std::same_as<A, AdamAttributes> ||
    std::same_as<A, DescentAttributes> || std::same_as<A, AdafactorAttributes> ||
    std::same_as<A, StochasticRoundAttributes> || std::same_as<A, ClipAttributes>;

std::string products_text(Products products) {
  return products == Products::automatic ? "" : fmt::format(" by {}", backend_name(products));
}

struct AttributesText {
  std::string operator()(const MatmulAttributes& a) const {
    return fmt::format("{}{}{}{}", a.transpose_a ? " transpose_a" : "", a.transpose_b ? " transpose_b" : "",
                       a.packed_columns > 0 ? " packed" : "", products_text(a.products));
  }
  std::string operator()(const PackAttributes& a) const {
    std::string text;
    for (const PackedOperand& operand : a.operands)
      text += (operand.transpose_b ? " [n, k]" : " [k, n]") + products_text(operand.products);
    return text;
  }
  std::string operator()(const GeluAttributes& a) const { return a.kind == GeluKind::tanh ? " tanh" : ""; }
  std::string operator()(const DropoutAttributes& a) const { return a.probability > 0 ? " drops" : ""; }
  std::string operator()(const DropoutNormAttributes& a) const { return a.probability > 0 ? " drops" : ""; }
  std::string operator()(const AttentionAttributes& a) const {
    return fmt::format(" heads={}{}{}{}", a.heads, a.causal ? " causal" : "", a.probability > 0 ? " drops" : "",
                       products_text(a.products));
  }
  std::string operator()(const CachedAttentionAttributes& a) const { return fmt::format(" heads={}", a.heads); }
  std::string operator()(const ConvolutionAttributes& a) const {
    return fmt::format(" stride={} padding={}", a.stride, a.padding);
  }
  std::string operator()(const PoolingAttributes& a) const {
    return fmt::format(" window={} stride={}{}", a.window, a.stride, a.relu ? " relu" : "");
  }
  std::string operator()(const EmbeddingAttributes& a) const {
    return a.whole > 0 ? fmt::format(" of {}", a.whole) : "";
  }
  std::string operator()(const VocabularyAttributes& a) const {
    return (a.whole > 0 ? fmt::format(" of {}", a.whole) : "") + products_text(a.products);
  }
  template <Costless A>
  std::string operator()(const A&) const {
    return {};
  }
};

std::string specs_text(const Specs& specs) {
  std::vector<std::string> texts;
  for (const TensorSpec& spec : specs) texts.push_back(to_string(spec));
  return fmt::format("{}", fmt::join(texts, ", "));
}

void cut(NodeSample& sample, SampleCut how, double most_flops) {
  switch (how) {
    case SampleCut::rows:
      return cut_rows(sample);
    case SampleCut::elements:
      return cut_elements(sample);
    case SampleCut::product:
      return cut_product(sample, most_flops);
    case SampleCut::attention:
      return cut_attention(sample, most_flops);
    case SampleCut::images:
      return cut_images(sample, most_flops);
    case SampleCut::pack:
      return cut_pack(sample);
    case SampleCut::lookup:
      return cut_lookup(sample);
    case SampleCut::vocabulary:
      return cut_vocabulary(sample, most_flops);
    case SampleCut::none:
      return;
  }
}

}  // namespace

NodeSample sample_of(const Graph& graph, const Node& node, int threads) {
  NodeSample sample{.op = node.op, .attributes = node.attributes, .inputs = {}};
  for (Value input : node.inputs) sample.inputs.push_back(graph.spec(input));
  cut(sample, op_info(node.op).cut, kFlopsOfThread * std::max(kLeastThreads, threads));
  return sample;
}

std::int64_t bytes_of(const NodeSample& sample) {
  std::int64_t bytes = 0;
  for (const TensorSpec& input : sample.inputs) bytes += input.bytes();
  const Specs outputs = output_specs(sample.op, sample.inputs, sample.attributes);
  for (auto i = static_cast<std::size_t>(op_info(sample.op).overwritable_inputs); i < outputs.size(); ++i) {
    bytes += outputs[i].bytes();
  }
  return bytes;
}

std::string name_of(const NodeSample& sample) {
  return fmt::format("{} {} -> {}{}", op_info(sample.op).name, specs_text(sample.inputs),
                     specs_text(output_specs(sample.op, sample.inputs, sample.attributes)),
                     std::visit(AttributesText{}, sample.attributes));
}

Graph graph_of(const NodeSample& sample) {
  Graph graph;
  std::vector<Value> inputs;
  for (const TensorSpec& input : sample.inputs) inputs.push_back(graph.add_input(input, ""));
  graph.outputs = Builder(graph).append(sample.op, inputs, sample.attributes);
  return graph;
}

double work_of(const Graph& graph, const Node& node) {
  const Cost cost = cost_of(graph, node);
  return cost.flops > 0 ? cost.flops : cost.bytes;
}

}  // namespace phasor
