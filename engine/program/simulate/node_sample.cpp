#include "engine/program/simulate/node_sample.h"

#include <algorithm>
#include <fmt/ranges.h>

#include "engine/ir/builder.h"
#include "engine/plan/cost.h"
#include "engine/program/simulate/sample_cuts.h"

namespace phasor {

namespace {

// At least half of it is left, which is enough for a product to be cut into as many pieces (kernels/matmul.cpp).
constexpr double kFlopsOfThread = 6.25e8;
constexpr int kLeastThreads = 2;

struct AttributesText {
  std::string operator()(const MatmulAttributes& a) const {
    return fmt::format("{}{}{}", a.transpose_a ? " transpose_a" : "", a.transpose_b ? " transpose_b" : "",
                       a.packed_columns > 0 ? " packed" : "");
  }
  std::string operator()(const PackAttributes& a) const {
    std::string text;
    for (const PackedOperand& operand : a.operands) text += operand.transpose_b ? " [n, k]" : " [k, n]";
    return text;
  }
  std::string operator()(const DropoutAttributes& a) const { return a.probability > 0 ? " drops" : ""; }
  std::string operator()(const DropoutNormAttributes& a) const { return a.probability > 0 ? " drops" : ""; }
  std::string operator()(const AttentionAttributes& a) const {
    return fmt::format(" heads={}{}", a.heads, a.probability > 0 ? " drops" : "");
  }
  std::string operator()(const EmbeddingAttributes& a) const {
    return a.whole > 0 ? fmt::format(" of {}", a.whole) : "";
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

std::string specs_text(const Specs& specs) {
  std::vector<std::string> texts;
  for (const TensorSpec& spec : specs) texts.push_back(to_string(spec));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

NodeSample sample_of(const Graph& graph, const Node& node, int threads) {
  const double most_flops = kFlopsOfThread * std::max(kLeastThreads, threads);
  NodeSample sample{.op = node.op, .attributes = node.attributes, .inputs = {}};
  for (Value input : node.inputs) sample.inputs.push_back(graph.spec(input));
  switch (node.op) {
    case Op::matmul:
    case Op::matmul_add:
      cut_product(sample, most_flops);
      break;
    case Op::pack:  // weights
      sample.from_far = true;
      cut_pack(sample);
      break;
    case Op::attention:
    case Op::attention_gradient:
      cut_attention(sample, most_flops);
      break;
    case Op::embedding:  // few rows of tables
    case Op::embedding_slice:
    case Op::embedding_gradient:
    case Op::embedding_gradient_add:
      sample.from_far = true;
      cut_lookup(sample);
      break;
    case Op::reshape: {  // moves elements, in whatever shape
      Shape& x = sample.inputs[0].shape;
      std::get<ShapeAttributes>(sample.attributes).shape = x = {x.elements()};
      cut_rows(sample);
      break;
    }
    case Op::cross_entropy:
    case Op::cross_entropy_gradient:
      cut_rows(sample);
      sample.integers = sample.inputs[0].shape.columns();
      break;
    case Op::add:
    case Op::reduce_sum:
    case Op::gelu:
    case Op::gelu_gradient:
    case Op::gelu_with_gradient:
    case Op::dropout:
    case Op::layer_norm:
    case Op::layer_norm_gradient:
    case Op::dropout_add_norm:
    case Op::dropout_add_norm_gradient:
    case Op::transpose:
    case Op::convert:
    case Op::adam:
    case Op::stochastic_round:
    case Op::square_sum:
      cut_rows(sample);
      break;
    case Op::iota:
      cut_numbers(sample);
      break;
    case Op::clip_factor:  // some numbers a replica
      break;
  }
  return sample;
}

std::int64_t bytes_of(const NodeSample& sample) {
  const OpInfo& info = op_info(sample.op);
  std::int64_t bytes = 0;
  for (const TensorSpec& input : sample.inputs) bytes += input.bytes();
  const Specs outputs = info.shapes(sample.inputs, sample.attributes);
  for (std::size_t i = static_cast<std::size_t>(info.overwritable_inputs); i < outputs.size(); ++i) {
    bytes += outputs[i].bytes();
  }
  return bytes;
}

std::string name_of(const NodeSample& sample) {
  const OpInfo& info = op_info(sample.op);
  return fmt::format("{} {} -> {}{}", info.name, specs_text(sample.inputs),
                     specs_text(info.shapes(sample.inputs, sample.attributes)),
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
