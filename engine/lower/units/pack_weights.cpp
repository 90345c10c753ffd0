#include "engine/lower/units/pack_weights.h"

#include <map>
#include <optional>
#include <set>

#include "engine/ir/builder.h"
#include "engine/ir/verifier.h"
#include "engine/runtime/packing.h"

namespace phasor {

namespace {

// Fewer rows read a weight sooner than it is laid out.
constexpr std::int64_t kFewRows = 16;

class Packing {
 public:
  Packing(const UnitGraph& source, bool all) : source_(source), graph_(source.graph) {
    for (std::size_t i = 0; i < source.inputs.size(); ++i) {
      if (source.inputs[i].role == Role::weight) variable_of_[graph_.inputs[i]] = source.inputs[i].index;
    }
    for (const Node& node : graph_.nodes) choose(node);
    if (!all) keep_needed();
  }

  UnitGraph run() {
    if (operands_.empty()) return source_;
    add_inputs();
    Builder b(result_.graph);
    for (const Node& node : graph_.nodes) {
      const std::vector<Value> outputs = b.append(node.op, inputs_of(node), attributes_of(node));
      for (std::size_t i = 0; i < outputs.size(); ++i) counterparts_[node.outputs[i]] = outputs[i];
    }
    for (Value output : graph_.outputs) result_.graph.outputs.push_back(counterparts_.at(output));
    result_.outputs = source_.outputs;
    add_packing();
    verify(result_.graph);
    verify(result_.packing);
    return std::move(result_);
  }

 private:
  using Key = std::pair<Value, bool>;  // a weight, and whether products read it transposed

  static const MatmulAttributes& product(const Node& node) { return std::get<MatmulAttributes>(node.attributes); }

  std::optional<Key> key_of(const Node& node) const {
    if (node.op != Op::matmul || !variable_of_.contains(node.inputs[1])) return std::nullopt;
    return Key{node.inputs[1], product(node).transpose_b};
  }
  bool packs(const Node& node) const {
    const auto key = key_of(node);
    return key && operands_.contains(*key);
  }

  // Of the product.
  std::int64_t rows_of(const Node& node) const {
    const Shape& a = graph_.spec(node.inputs[0]).shape;
    return product(node).transpose_a ? a.columns() : a.rows();
  }

  void choose(const Node& node) {
    const auto key = key_of(node);
    if (!key || rows_of(node) < kFewRows) return;
    const std::int64_t elements = packed_elements(graph_.spec(key->first), key->second, product(node).products);
    if (elements > 0) {
      operands_[*key] = {.transpose_b = key->second, .elements = elements, .products = product(node).products};
    }
  }

  // Of the operands those that some product would have other bits without.
  void keep_needed() {
    std::set<Key> needed;
    for (const Node& node : graph_.nodes) {
      if (packs(node) && !packing_keeps_bits(graph_, node)) needed.insert(*key_of(node));
    }
    std::erase_if(operands_, [&](const auto& operand) { return !needed.contains(operand.first); });
  }

  // Inputs that are still read keep their order; the packed weights follow.
  void add_inputs() {
    std::set<Value> read(graph_.outputs.begin(), graph_.outputs.end());
    for (const Node& node : graph_.nodes) {
      for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        if (k != 1 || !packs(node)) read.insert(node.inputs[k]);
      }
    }
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      const Value input = graph_.inputs[i];
      if (!read.contains(input)) continue;
      counterparts_[input] = result_.graph.add_input(graph_.spec(input), graph_[input].name);
      result_.inputs.push_back(source_.inputs[i]);
    }
    for (const auto& [key, operand] : operands_) {
      const TensorSpec spec{graph_.spec(key.first).dtype, {operand.elements}};
      packed_[key] = result_.graph.add_input(spec, "packed " + graph_[key.first].name);
      result_.inputs.push_back({Role::packed, static_cast<int>(packed_.size()) - 1});
    }
  }

  std::vector<Value> inputs_of(const Node& node) const {
    std::vector<Value> inputs;
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      inputs.push_back(k == 1 && packs(node) ? packed_.at(*key_of(node)) : counterparts_.at(node.inputs[k]));
    }
    return inputs;
  }

  Attributes attributes_of(const Node& node) const {
    if (!packs(node)) return node.attributes;
    MatmulAttributes attributes = product(node);
    const Shape& b = graph_.spec(node.inputs[1]).shape;
    attributes.packed_columns = attributes.transpose_b ? b.rows() : b.columns();
    return attributes;
  }

  void add_packing() {
    std::map<Value, Value> weights;
    std::vector<Value> operands;
    PackAttributes attributes;
    for (const auto& [key, operand] : operands_) {
      Value& weight = weights[key.first];
      if (!weight.valid()) {
        weight = result_.packing.add_input(graph_.spec(key.first), graph_[key.first].name);
        result_.packed_variables.push_back(variable_of_.at(key.first));
      }
      operands.push_back(weight);
      attributes.operands.push_back(operand);
    }
    result_.packing.outputs = Builder(result_.packing).pack(operands, attributes);
  }

  const UnitGraph& source_;
  const Graph& graph_;
  std::map<Value, int> variable_of_;       // of the graph's inputs that are weights
  std::map<Key, PackedOperand> operands_;  // in the order in which they are inputs of the result
  std::map<Key, Value> packed_;
  std::map<Value, Value> counterparts_;
  UnitGraph result_;
};

}  // namespace

UnitGraph pack_weights(const UnitGraph& graph, bool all) { return Packing(graph, all).run(); }

std::vector<int> UnitGraph::weights() const {
  std::set<int> variables(packed_variables.begin(), packed_variables.end());
  for (const auto& [role, index] : inputs) {
    if (role == Role::weight) variables.insert(index);
  }
  return {variables.begin(), variables.end()};
}

}  // namespace phasor
