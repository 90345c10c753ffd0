#include "engine/lower/phases.h"

#include "engine/lower/clipping.h"
#include "engine/lower/gradient_sums.h"
#include "engine/lower/lamb.h"
#include "engine/lower/micro_batches.h"
#include "engine/lower/tied_gradients.h"
#include "engine/lower/update.h"

namespace phasor {

namespace {

std::string graph_name(const LoweredUnit& unit, const char* kind, int n) {
  return fmt::format("{}.{}{}", unit.unit.name, kind, unit.variant(n));
}

void forward_phase(const LoweringContext& context, const LoweredUnit& unit, int n) {
  const UnitGraph& graph = unit.graphs(n).forward;
  const std::string name = graph_name(unit, "forward", n);
  PhaseBuilder phase(context, unit, "forward", n, Section::step, unit.variant(n));

  const VariableSlots parts = phase.load_weights(graph);
  const GraphWeights weights = phase.pack(name, graph, phase.gather(parts));
  const GraphId forward = add_graph(context.builder, name, GraphKind::forward, graph);
  context.builder.begin_loop();
  for (int m = 0; m < context.execution.accumulation; ++m) {
    const auto turn = context.builder.micro_batch(m);
    call_micro_batch(phase, graph, forward, weights, {}, m);
  }
}

// Where the weights lie that an update has changed.
VariableSlots updated_weights(const LoweringContext& context, const LoweredUnit& unit, const DeviceState& state) {
  VariableSlots weights = slots_of(state, StateKind::weight);
  if (!adapts_over_phases(context, unit)) return weights;
  for (int v = 0; v < unit.count(); ++v) {
    if (adapts(context, unit.variables[v])) weights[v] = {};
  }
  return weights;
}

// With clipping, gradients wait in their buffers until the norm is known.
void gradient_phase(const LoweringContext& context, const LoweredUnit& unit, int n) {
  if (!unit.unit.learns) return;
  const UnitGraph& graph = unit.graphs(n).gradient;
  const std::string name = graph_name(unit, "gradient", n);
  PhaseBuilder phase(context, unit, "gradient", n, Section::step, unit.variant(n));

  const VariableSlots parts = phase.load_weights(graph);
  const GraphWeights weights = phase.pack(name, graph, phase.gather(parts));
  const GraphId gradient = add_graph(context.builder, name, GraphKind::gradient, graph);
  GradientSums sums(phase);
  context.builder.begin_loop();
  for (int m = 0; m < context.execution.accumulation; ++m) {
    const auto turn = context.builder.micro_batch(m);
    call_micro_batch(phase, graph, gradient, weights, sums.begin_micro_batch(), m);
    sums.end_micro_batch();
  }
  const VariableSlots gradients = join_tied(phase, sums.reduce());
  if (!unit.updates()) return;
  if (context.clips()) {
    add_square_sums(phase, gradients);
    if (!context.resident()) phase.store(StateKind::gradient, gradients);
  } else {
    const DeviceState state = state_behind(phase, graph, parts, gradients);
    update(phase, state);
    if (!context.resident()) phase.store(StateKind::weight, updated_weights(context, unit, state));
  }
}

void update_phase(const LoweringContext& context, const LoweredUnit& unit, int n) {
  if (!unit.updates()) return;
  PhaseBuilder phase(context, unit, "update", n);
  update(phase, resident_state(phase));
}

// Around the phases that update a unit's instances, of one that adapts over them: its sums, its ratios, its weights.
void begin_adapting(const LoweringContext& context, const LoweredUnit& unit) {
  if (!adapts_over_phases(context, unit)) return;
  PhaseBuilder phase(context, unit, "sums", 0);
  lamb_begin(phase);
}
void end_adapting(const LoweringContext& context, const LoweredUnit& unit) {
  if (!adapts_over_phases(context, unit)) return;
  {
    PhaseBuilder phase(context, unit, "ratios", 0);
    lamb_ratios(phase);
  }
  for (int n = 0; n < unit.unit.instances; ++n) {
    PhaseBuilder phase(context, unit, "weights", n);
    lamb_weights(phase, resident_state(phase), false);
  }
}

// Calls use(number, m) for what the unit carries, in every micro-batch.
template <class Use>
void for_carried(const LoweringContext& context, const LoweredUnit& unit, Use use) {
  for (int c = 0; c < static_cast<int>(unit.unit.carried.size()); ++c)
    for (int m = 0; m < context.execution.accumulation; ++m) use(c, m);
}

// Before the first step, and when somebody needs the state.
void load_resident(const LoweringContext& context, const LoweredUnit& unit) {
  PhaseBuilder phase(context, unit, "load", 0, Section::begin);
  for (StateKind kind : kUpdatedStates) phase.load(kind);
}
void store_resident(const LoweringContext& context, const LoweredUnit& unit) {
  PhaseBuilder phase(context, unit, "store", 0, Section::end);
  const DeviceState state = resident_state(phase);
  for (StateKind kind : kUpdatedStates) phase.store(kind, slots_of(state, kind));
}

// Before the first run of what is carried on, and behind the last: the weights that are computed with, and the state.
void load_model(const LoweringContext& context, const LoweredUnit& unit) {
  PhaseBuilder phase(context, unit, "load", 0, Section::begin);
  for (int v : unit.keeping.forward.weights()) {
    const StateKind kind = unit.variables[v].placement.computed_state();
    if (!unit.variables[v].tied) context.builder.load(phase.state_row(kind, v), phase.state_slot(kind, v));
  }
  for_carried(context, unit,
              [&](int c, int m) { context.builder.load(phase.carried_row(c, m), phase.carried_slot(c, m)); });
}
void store_carried(const LoweringContext& context, const LoweredUnit& unit) {
  PhaseBuilder phase(context, unit, "store", 0, Section::end);
  for_carried(context, unit,
              [&](int c, int m) { context.builder.store(phase.carried_slot(c, m), phase.carried_row(c, m)); });
}

// Calls phase(unit, instance) from the last instance of the last unit to the first of the first, `updating` or not.
template <class Phase>
void backwards(const LoweringContext& context, const std::vector<LoweredUnit>& units, bool updating, Phase phase) {
  for (auto unit = units.rbegin(); unit != units.rend(); ++unit) {
    if (updating) begin_adapting(context, *unit);
    for (int n = unit->unit.instances - 1; n >= 0; --n) phase(*unit, n);
    if (updating) end_adapting(context, *unit);
  }
}

}  // namespace

void write_training(const LoweringContext& context, const std::vector<LoweredUnit>& units) {
  if (context.resident()) load_resident(context, units.front());
  if (context.clips()) begin_norm(context);
  for (const LoweredUnit& unit : units) {
    if (&unit == &units.back()) break;  // its forward part runs with its gradient
    for (int n = 0; n < unit.unit.instances; ++n) forward_phase(context, unit, n);
  }
  backwards(context, units, !context.clips(),
            [&](const LoweredUnit& unit, int n) { gradient_phase(context, unit, n); });
  if (context.clips()) {
    clip_phase(context);
    backwards(context, units, true, [&](const LoweredUnit& unit, int n) { update_phase(context, unit, n); });
  }
  if (context.resident()) store_resident(context, units.front());
}

void write_inference(const LoweringContext& context, const std::vector<LoweredUnit>& units) {
  if (context.resident()) load_model(context, units.front());
  for (const LoweredUnit& unit : units) {
    for (int n = 0; n < unit.unit.instances; ++n) forward_phase(context, unit, n);
  }
  if (context.resident()) store_carried(context, units.front());
}

}  // namespace phasor
