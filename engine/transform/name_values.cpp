#include "engine/transform/name_values.h"

#include <set>

#include "engine/ir/op_table.h"

namespace phasor {

namespace {

// "output.dense" of "output.dense.weight".
std::string stem_of(const std::string& variable) { return variable.substr(0, variable.rfind('.')); }

std::string base_name(const Stage& stage, const Node& node) {
  for (Value input : node.inputs) {
    for (const Variable& variable : stage.variables) {
      if (variable.value == input && node.op != Op::convert) return stem_of(variable.name);
    }
  }
  return std::string(op_info(node.op).name);
}

}  // namespace

void name_values(Stage& stage) {
  std::set<std::string> taken;
  for (const ValueInfo& value : stage.graph.values) taken.insert(value.name);
  for (const Node& node : stage.graph.nodes) {
    const std::string base = base_name(stage, node);
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
      std::string& name = stage.graph[node.outputs[k]].name;
      if (!name.empty()) continue;
      const std::string first =
          node.outputs.size() == 1 ? base : fmt::format("{}.{}", base, op_info(node.op).output(k));
      name = first;
      for (int number = 1; taken.contains(name); ++number) name = fmt::format("{}.{}", first, number);
      taken.insert(name);
    }
  }
}

}  // namespace phasor
