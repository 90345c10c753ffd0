#include "engine/transform/lower_precision.h"

#include <algorithm>
#include <map>

#include "engine/ir/op_table.h"
#include "engine/transform/rewrite.h"

namespace phasor {

namespace {

InBfloat16 lowered_input(const Node& node, std::size_t k) { return op_info(node.op).input(k).lowered; }

// Whether the op takes some input in bf16; the others then stay as they are.
bool computes_in_bf16(const Node& node) {
  for (std::size_t k = 0; k < node.inputs.size(); ++k) {
    if (lowered_input(node, k) != InBfloat16::stays) return true;
  }
  return false;
}

bool only_moves(Op op) { return op_info(op).only_moves; }

class Lowering {
 public:
  Lowering(const Stage& stage, DType y) : rewrite_(stage), stage_(stage), graph_(stage.graph), y_(y) {}

  Stage run() {
    find_full();
    add_inputs();
    for (const Node& node : graph_.nodes) emit(node);
    if (stage_.y.valid()) rewrite_.map(stage_.y, converted(rewrite_[stage_.y], y_));
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
      for (std::size_t k = 0; k < node->inputs.size(); ++k) {
        if (lowered_input(*node, k) != InBfloat16::stays) full_[node->inputs[k].id] = false;
      }
    }
    for (std::size_t id = 0; id < used.size(); ++id) full_[id] = full_[id] && used[id];
  }

  void add_inputs() {
    for (Value input : graph_.inputs) {
      TensorSpec spec = graph_.spec(input);
      if (spec.dtype == DType::f32 && (is_activation(input) || is_matrix(input))) spec.dtype = DType::bf16;
      rewrite_.map(input, rewrite_.builder().graph().add_input(spec, graph_[input].name));
    }
  }

  bool is_activation(Value input) const {
    const bool is_carried = std::ranges::find(stage_.carried, input, &CarriedState::before) != stage_.carried.end();
    return (input == stage_.x || input == stage_.partial || is_carried) && !full_[input.id];
  }

  // Whether a variable is only multiplied or looked up.
  bool is_matrix(Value input) const {
    bool is_variable = false;
    for (const Variable& variable : stage_.variables) is_variable |= variable.value == input;
    if (!is_variable) return false;
    for (const Node& node : graph_.nodes) {
      for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        if (node.inputs[k] == input && lowered_input(node, k) != InBfloat16::weight) return false;
      }
    }
    return true;
  }

  void emit(const Node& node) {
    Builder& b = rewrite_.builder();
    const bool stays = only_moves(node.op) && full_[node.outputs[0].id];
    Node lowered = node;
    for (Value& input : lowered.inputs) input = rewrite_[input];
    if (stays || !computes_in_bf16(node)) {
      for (Value& input : lowered.inputs) {
        if (is_real(b.spec(input).dtype)) input = converted(input, DType::f32);
      }
    } else {
      for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        if (lowered_input(node, k) != InBfloat16::stays) lowered.inputs[k] = converted(lowered.inputs[k], DType::bf16);
      }
    }
    auto* product = std::get_if<MatmulAttributes>(&lowered.attributes);
    if (product && !full_[node.outputs[0].id]) product->result = DType::bf16;
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
  DType y_;
  std::vector<bool> full_;  // of each value of the old graph
  std::map<std::pair<Value, DType>, Value> conversions_;
};

}  // namespace

Stage lower_precision(const Stage& stage, DType y) { return Lowering(stage, y).run(); }

}  // namespace phasor
