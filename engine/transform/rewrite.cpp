#include "engine/transform/rewrite.h"

namespace phasor {

Rewrite::Rewrite(const Stage& stage)
    : stage_(stage), result_(stage), builder_(result_.graph), counterparts_(stage.graph.values.size()) {
  result_.graph = Graph{};
}

Value Rewrite::operator[](Value old) const {
  const Value value = counterparts_[old.id];
  ensure(value.valid(), "rewrite: value %{} of stage '{}' is gone", old.id, stage_.name);
  return value;
}

void Rewrite::copy(const Node& node) {
  std::vector<Value> inputs;
  for (Value input : node.inputs) inputs.push_back((*this)[input]);
  const std::vector<Value> outputs = builder_.append(node.op, std::move(inputs), node.attributes);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    result_.graph[outputs[i]].name = stage_.graph[node.outputs[i]].name;
    map(node.outputs[i], outputs[i]);
  }
}

Stage Rewrite::finish() {
  const auto follow = [this](Value& value) {
    if (value.valid()) value = (*this)[value];
  };
  for (Variable& variable : result_.variables) follow(variable.value);
  for (NamedValue& item : result_.batch) follow(item.value);
  for (NamedValue& item : result_.results) follow(item.value);
  for (CarriedState& state : result_.carried) {
    follow(state.before);
    follow(state.after);
  }
  for (Value* value : {&result_.x, &result_.y, &result_.partial, &result_.position, &result_.loss}) follow(*value);
  for (Value output : stage_.graph.outputs) result_.graph.outputs.push_back((*this)[output]);
  return std::move(result_);
}

}  // namespace phasor
