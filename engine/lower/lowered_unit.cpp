#include "engine/lower/lowered_unit.h"

#include <algorithm>

#include "engine/lower/pack_weights.h"

namespace phasor {

namespace {

// The number of the stage instance that a unit's variable belongs to, counted over the whole model.
int instance_of(const Stages& stages, const UnitVariable& variable) {
  int instance = variable.row;
  for (int s = 0; s < variable.stage; ++s) instance += stages[s].instances;
  return instance;
}

TrainingGraphs packed(TrainingGraphs graphs) {
  graphs.forward = pack_weights(graphs.forward);
  graphs.gradient = pack_weights(graphs.gradient);
  return graphs;
}

std::vector<PlacedVariable> placed_variables(const Stages& stages, const Unit& unit, bool masters,
                                             const ExecutionOptions& execution) {
  std::vector<PlacedVariable> placed;
  for (const UnitVariable& v : unit.variables) {
    const Stage& stage = stages[v.stage];
    const Variable& variable = stage.variables[v.variable];
    const TensorSpec& spec = stage.graph.spec(variable.value);
    const bool resident = execution.mode == Mode::monolithic;
    placed.push_back({.name = unit.graph[v.value].name,
                      .placement = place_variable(spec, execution.replicas, execution.rts_threshold, masters),
                      .draw = {.position = resident ? instance_of(stages, v) : 0, .number = v.variable},
                      .decays = variable.decays,
                      .row = v.row,
                      .buffers = {}});
    for (int kind = 0; kind < kStateKinds; ++kind) {
      placed.back().buffers[static_cast<std::size_t>(kind)] =
          state_buffer(static_cast<StateKind>(kind), stage, variable, placed.back().placement);
    }
  }
  return placed;
}

}  // namespace

std::vector<LoweredUnit> units_for_training(const Stages& stages, const OptimizerOptions& optimizer,
                                            const ExecutionOptions& execution) {
  const bool resident = execution.mode == Mode::monolithic;
  std::vector<LoweredUnit> lowered;
  for (Unit& unit : resident ? std::vector{model_unit(stages)} : stage_units(stages)) {
    LoweredUnit& made = lowered.emplace_back(LoweredUnit{.unit = std::move(unit)});
    made.variables = placed_variables(stages, made.unit, !optimizer.stochastic_rounding, execution);
    // Counted over all stages, as the unit's instances are from its first.
    const int first_kept =
        execution.recompute == Recompute::none ? 0 : count_instances(stages) - 1 - execution.kept_stages;
    if (resident) {
      made.keeping = packed(training_graphs(made.unit, execution.recompute, first_kept));
      continue;
    }
    const int instances = made.unit.instances;
    made.first_keeping = std::clamp(first_kept - made.unit.first_instance, 0, instances);
    if (made.first_keeping > 0) made.recomputing = packed(training_graphs(made.unit, Recompute::layer));
    if (made.first_keeping < instances) made.keeping = packed(training_graphs(made.unit, Recompute::none));
  }
  return lowered;
}

std::vector<LoweredUnit> units_for_inference(const Stages& stages, const ExecutionOptions& execution) {
  std::vector<LoweredUnit> lowered;
  for (Unit& unit : stage_units(stages)) {
    LoweredUnit& made = lowered.emplace_back(LoweredUnit{.unit = std::move(unit)});
    made.variables = placed_variables(stages, made.unit, true, execution);
    made.keeping.forward = pack_weights(inference_graph(made.unit));
  }
  return lowered;
}

}  // namespace phasor
