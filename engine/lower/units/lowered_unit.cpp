#include "engine/lower/units/lowered_unit.h"

#include <algorithm>

#include "engine/lower/units/pack_weights.h"

namespace phasor {

namespace {

// The number of the stage instance that a unit's variable belongs to, counted over the whole model.
int model_instance_of(const Stages& stages, const UnitVariable& variable) {
  int instance = variable.row;
  for (int s = 0; s < variable.stage; ++s) instance += stages[s].instances;
  return instance;
}

std::vector<PlacedVariable> placed_variables(const Stages& stages, const Unit& unit, const OptimizerOptions& optimizer,
                                             const ExecutionOptions& execution) {
  const bool masters = !optimizer.stochastic_rounding;
  std::vector<PlacedVariable> placed;
  for (const UnitVariable& v : unit.variables) {
    const Stage& stage = stages[v.stage];
    const Variable& variable = stage.variables[v.variable];
    const TensorSpec& spec = stage.graph.spec(variable.value);
    const bool resident = execution.mode == Mode::monolithic;
    placed.push_back(
        {.name = unit.graph[v.value].name,
         .placement = place_variable(spec, execution.replicas, execution.rts_threshold, masters),
         .draw = {.position = resident ? model_instance_of(stages, v) - unit.first_instance : 0, .number = v.variable},
         .decays = variable.decays,
         .row = v.row,
         .buffers = {},
         .joining = {},
         .frozen = is_frozen(stages, {v.stage, v.variable})});
    PlacedVariable& made = placed.back();
    made.placement.matrices = matrices_of(stage, variable, optimizer);
    for (const auto& [kind, name, slot, content] : kStates) {
      const auto k = static_cast<std::size_t>(kind);
      made.buffers[k] = state_buffer(kind, stage, variable, made.placement);
      made.kept[k] = keeps_state(kind, variable, made.placement, optimizer);
    }
  }
  return placed;
}

// The number of a variable in the unit of which it is, for the same instances as another; -1: it is in another unit.
int find_variable(const Unit& unit, VariablePlace place, int row) {
  for (int v = 0; v < static_cast<int>(unit.variables.size()); ++v) {
    const UnitVariable& variable = unit.variables[v];
    if (variable.stage == place.stage && variable.variable == place.variable && variable.row == row) return v;
  }
  return -1;
}

// Tells tied variables and their owners of each other. Owners are in earlier stages.
void tie_variables(const Stages& stages, std::vector<LoweredUnit>& units) {
  for (LoweredUnit& unit : units) {
    for (int v = 0; v < unit.count(); ++v) {
      const UnitVariable& from = unit.unit.variables[v];
      const VariablePlace place{from.stage, from.variable}, owner = owner_of(stages, place);
      if (owner == place) continue;
      PlacedVariable& variable = unit.variables[v];
      variable.tied = true;
      variable.owner = find_variable(unit.unit, owner, from.row);
      const BufferSpec gradient = variable.buffer(StateKind::gradient);
      for (int u = 0; u < static_cast<int>(units.size()); ++u) {
        LoweredUnit& other = units[u];
        const int found = find_variable(other.unit, owner, from.row);
        if (found < 0) continue;
        variable.buffers = other.variables[found].buffers;
        variable.owner_unit = u;
        variable.owner_variable = found;
        if (variable.frozen) continue;
        other.variables[found].joining.push_back(
            {.unit = static_cast<int>(&unit - units.data()), .variable = &other == &unit ? v : -1, .buffer = gradient});
      }
      variable.buffers[static_cast<std::size_t>(StateKind::gradient)] = gradient;
    }
  }
}

}  // namespace

bool LoweredUnit::updates() const {
  return std::ranges::any_of(variables,
                             [](const PlacedVariable& variable) { return !variable.tied && !variable.frozen; });
}

std::vector<LoweredUnit> place_units(const Stages& stages, std::span<const InstanceRange> parts,
                                     const OptimizerOptions& optimizer, const ExecutionOptions& execution) {
  std::vector<Unit> units;
  if (execution.mode == Mode::monolithic) {
    for (std::size_t part = 0; part < parts.size(); ++part) {
      units.push_back(model_unit(stages, parts[part], parts.size() == 1 ? "model" : fmt::format("part{}", part)));
    }
  } else {
    units = stage_units(stages);
  }
  std::vector<LoweredUnit> placed;
  for (Unit& unit : units) {
    LoweredUnit& made = placed.emplace_back(LoweredUnit{.unit = std::move(unit)});
    made.variables = placed_variables(stages, made.unit, optimizer, execution);
  }
  tie_variables(stages, placed);
  return placed;
}

void differentiate(LoweredUnit& unit, const ExecutionOptions& execution, int first_kept) {
  if (execution.mode == Mode::monolithic) {
    const int own_first_kept = std::max(0, first_kept - unit.unit.first_instance);
    const bool keeps_all = own_first_kept == 0 && !unit.unit.loss.valid();
    unit.keeping = training_graphs(unit.unit, keeps_all ? Recompute::none : execution.recompute, own_first_kept);
    return;
  }
  const int instances = unit.unit.instances;
  unit.first_keeping = std::clamp(first_kept - unit.unit.first_instance, 0, instances);
  if (unit.first_keeping > 0) unit.recomputing = training_graphs(unit.unit, Recompute::layer);
  if (unit.first_keeping < instances) unit.keeping = training_graphs(unit.unit, Recompute::none);
}

void choose_products(LoweredUnit& unit, Products products) {
  for (TrainingGraphs* graphs : {&unit.recomputing, &unit.keeping})
    for (UnitGraph* graph : {&graphs->forward, &graphs->gradient})
      for (Node& node : graph->graph.nodes) {
        if (auto* matmul = std::get_if<MatmulAttributes>(&node.attributes)) matmul->products = products;
        if (auto* attention = std::get_if<AttentionAttributes>(&node.attributes)) attention->products = products;
        if (auto* vocabulary = std::get_if<VocabularyAttributes>(&node.attributes)) vocabulary->products = products;
      }
}

void pack_weights(LoweredUnit& unit, bool all) {
  for (TrainingGraphs* graphs : {&unit.recomputing, &unit.keeping}) {
    graphs->forward = pack_weights(graphs->forward, all);
    graphs->gradient = pack_weights(graphs->gradient, all);
  }
}

}  // namespace phasor
