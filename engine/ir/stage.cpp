#include "engine/ir/stage.h"

namespace phasor {

namespace {

VariablePlace find_variable(const Stages& stages, const VariableName& name) {
  for (int s = 0; s < static_cast<int>(stages.size()); ++s) {
    if (stages[s].name != name.stage) continue;
    for (int v = 0; v < static_cast<int>(stages[s].variables.size()); ++v) {
      if (stages[s].variables[v].name == name.variable) return {s, v};
    }
  }
  throw InternalError(
      fmt::format("stages: there is no variable '{}' of a stage '{}' to be tied to", name.variable, name.stage));
}

}  // namespace

VariablePlace owner_of(const Stages& stages, VariablePlace place) {
  const Stage& stage = stages[place.stage];
  const Variable& variable = stage.variables[place.variable];
  if (!variable.tied_to) return place;
  const VariablePlace found = find_variable(stages, *variable.tied_to);
  const Stage& owner = stages[found.stage];
  const TensorSpec &own = stage.graph.spec(variable.value),
                   &of = owner.graph.spec(owner.variables[found.variable].value);
  ensure(found.stage < place.stage && !owner.variables[found.variable].tied_to,
         "stages: '{}' of stage '{}' is tied to '{}', which has no state of its own in an earlier stage", variable.name,
         stage.name, variable.tied_to->variable);
  ensure(own == of && owner.instances == stage.instances && owner.sliced_rows == stage.sliced_rows,
         "stages: '{}' of stage '{}' is {} x {}, tied to '{}', which is {} x {}", variable.name, stage.name,
         stage.instances, to_string(own), variable.tied_to->variable, owner.instances, to_string(of));
  return found;
}

bool is_frozen(const Stages& stages, VariablePlace place) {
  const VariablePlace owner = owner_of(stages, place);
  return stages[owner.stage].variables[owner.variable].frozen;
}

int count_instances(const Stages& stages) {
  int count = 0;
  for (const Stage& stage : stages) count += stage.instances;
  return count;
}

std::vector<InstanceNumbers> number_instances(const Stages& stages) {
  std::vector<InstanceNumbers> numbers;
  std::int64_t next = 0;
  for (const Stage& stage : stages) {
    for (int n = 0; n < stage.instances; ++n) {
      numbers.push_back(stage.sliced() ? InstanceNumbers{next, n} : InstanceNumbers{next + n, 0});
    }
    next += stage.sliced() ? 1 : stage.instances;
  }
  return numbers;
}

std::int64_t count_elements(const Stage& stage, const Variable& variable) {
  const Shape& shape = stage.graph.spec(variable.value).shape;
  return stage.sliced() ? stage.sliced_rows * (shape.elements() / shape[0]) : shape.elements();
}

std::int64_t count_parameters(const Stages& stages) {
  std::int64_t count = 0;
  for (const Stage& stage : stages) {
    for (const Variable& variable : stage.variables) {
      if (variable.tied_to) continue;
      count += (stage.sliced() ? 1 : stage.instances) * count_elements(stage, variable);
    }
  }
  return count;
}

}  // namespace phasor
