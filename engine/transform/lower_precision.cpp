#include "engine/transform/lower_precision.h"

#include <map>

#include "engine/transform/rewrite.h"

namespace phasor {

namespace {

// The inputs of an op that it takes in bf16; the others stay as they are.
std::vector<int> activations_of(const Node& node) {
  switch (node.op) {
    case Op::matmul:
    case Op::add:
    case Op::dropout_add_norm:
    case Op::embedding_slice:
      return {0, 1};
    case Op::gelu:
    case Op::dropout:
    case Op::layer_norm:
    case Op::embedding:
    case Op::attention:
    case Op::transpose:
    case Op::reshape:
      return {0};
    default:
      return {};
  }
}

bool only_moves(Op op) { return op == Op::transpose || op == Op::reshape; }

class Lowering {
 public:
  explicit Lowering(const Stage& stage) : rewrite_(stage), stage_(stage), graph_(stage.graph) {}

  Stage run() {
    find_full();
    add_inputs();
    for (const Node& node : graph_.nodes) emit(node);
    return rewrite_.finish();
  }

 private:
  // Values that only lead to consumers in f32: these, and what merely moves elements on the way there, stay f32.
  void find_full() {
    full_.assign(graph_.values.size(), true);
    std::vector<bool> used(graph_.values.size(), false);
    for (const NamedValue& result : stage_.results) used[result.value.id] = true;
    if (stage_.y.valid()) full_[stage_.y.id] = false;
    for (auto node = graph_.nodes.rbegin(); node != graph_.nodes.rend(); ++node) {
      const bool moves_full = only_moves(node->op) && full_[node->outputs[0].id];
      for (Value input : node->inputs) used[input.id] = true;
      if (moves_full) continue;
      for (int k : activations_of(*node)) full_[node->inputs[k].id] = false;
    }
    for (std::size_t id = 0; id < used.size(); ++id) full_[id] = full_[id] && used[id];
  }

  void add_inputs() {
    for (Value input : graph_.inputs) {
      TensorSpec spec = graph_.spec(input);
      if (spec.dtype == DType::f32 && (input == stage_.x || is_matrix(input))) spec.dtype = DType::bf16;
      rewrite_.map(input, rewrite_.builder().graph().add_input(spec, graph_[input].name));
    }
  }

  // Whether a variable is only multiplied or looked up.
  bool is_matrix(Value input) const {
    bool is_variable = false;
    for (const Variable& variable : stage_.variables) is_variable |= variable.value == input;
    if (!is_variable) return false;
    for (const Node& node : graph_.nodes) {
      for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        if (node.inputs[k] != input) continue;
        const bool is_table = (node.op == Op::embedding && k == 0) || (node.op == Op::embedding_slice && k == 1);
        if (!is_table && !(node.op == Op::matmul && k == 1)) return false;
      }
    }
    return true;
  }

  void emit(const Node& node) {
    Builder& b = rewrite_.builder();
    const bool stays = only_moves(node.op) && full_[node.outputs[0].id];
    Node lowered = node;
    for (Value& input : lowered.inputs) input = rewrite_[input];
    if (stays || activations_of(node).empty()) {
      for (Value& input : lowered.inputs) {
        if (is_real(b.spec(input).dtype)) input = converted(input, DType::f32);
      }
    } else {
      for (int k : activations_of(node)) lowered.inputs[k] = converted(lowered.inputs[k], DType::bf16);
    }
    if (node.op == Op::matmul && !full_[node.outputs[0].id]) {
      std::get<MatmulAttributes>(lowered.attributes).result = DType::bf16;
    }
    const std::vector<Value> outputs = b.append(node.op, lowered.inputs, lowered.attributes);
    for (std::size_t i = 0; i < outputs.size(); ++i) rewrite_.map(node.outputs[i], outputs[i]);
  }

  // One conversion of each value, however many nodes want it.
  Value converted(Value value, DType dtype) {
    if (rewrite_.builder().spec(value).dtype == dtype) return value;
    Value& result = conversions_[{value, dtype}];
    if (!result.valid()) result = rewrite_.builder().convert(value, dtype);
    return result;
  }

  Rewrite rewrite_;
  const Stage& stage_;
  const Graph& graph_;
  std::vector<bool> full_;  // of each value of the old graph
  std::map<std::pair<Value, DType>, Value> conversions_;
};

}  // namespace

Stage lower_precision(const Stage& stage) { return Lowering(stage).run(); }

}  // namespace phasor
