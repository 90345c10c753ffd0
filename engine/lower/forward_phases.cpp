#include "engine/lower/forward_phases.h"

#include "engine/lower/micro_batches.h"
#include "engine/lower/part_ends.h"
#include "engine/lower/phases.h"

namespace phasor {

namespace {

// Calls use(number, m) for what the unit carries, in every micro-batch.
template <class Use>
void for_carried(const LoweringContext& context, const LoweredUnit& unit, Use use) {
  for (int c = 0; c < static_cast<int>(unit.unit.carried.size()); ++c)
    for (int m = 0; m < context.execution.accumulation; ++m) use(c, m);
}

// Whether an owner that is on the device, too, loads what the variable reads.
bool is_loaded_by_owner(const LoweringContext& context, const PlacedVariable& variable) {
  return variable.tied && device_of(context.parts, variable.owner_unit, 0) == context.device;
}

// Before the first run of what is resident, and behind the last: the weights that are computed with, and what is
// carried. What is tied to a variable of another device comes from the same rows.
void load_model(const LoweringContext& context, const LoweredUnit& unit) {
  PhaseBuilder phase(context, unit, "load", 0, Section::begin);
  for (int v : unit.keeping.forward.weights()) {
    const StateKind kind = unit.variables[v].placement.computed_state();
    if (is_loaded_by_owner(context, unit.variables[v])) continue;
    context.builder.load(phase.state_row(kind, v), phase.state_slot(kind, v));
  }
  for_carried(context, unit,
              [&](int c, int m) { context.builder.load(phase.carried_row(c, m), phase.carried_slot(c, m)); });
}
void store_carried(const LoweringContext& context, const LoweredUnit& unit) {
  if (unit.unit.carried.empty()) return;
  PhaseBuilder phase(context, unit, "store", 0, Section::end);
  for_carried(context, unit,
              [&](int c, int m) { context.builder.store(phase.carried_slot(c, m), phase.carried_row(c, m)); });
}

}  // namespace

ForwardPhases::ForwardPhases(const LoweringContext& context)
    : context_(context), prepares_(context.resident() && context.parts.size() > 1), weights_(context.units.size()) {}

void ForwardPhases::prepare() {
  if (!prepares_) return;
  for_runs(context_, [&](const UnitRun& run) {
    const LoweredUnit& unit = context_.units[run.unit];
    PhaseBuilder phase(context_, unit, "prepare", 0);
    const TrainingGraphs& graphs = unit.graphs(0);
    VariableSlots parts = phase.load_weights(graphs.gradient);
    const VariableSlots of_forward = phase.load_weights(graphs.forward);
    for (std::size_t v = 0; v < parts.size(); ++v) {
      if (!parts[v].valid()) parts[v] = of_forward[v];
    }
    const VariableSlots whole = phase.gather(parts);
    weights_[run.unit] = {.forward = phase.pack(unit.graph_name("forward", 0), graphs.forward, whole, "forward."),
                          .gradient = phase.pack(unit.graph_name("gradient", 0), graphs.gradient, whole)};
  });
}

void ForwardPhases::run(const Task& task) const {
  for (const UnitRun& run : context_.parts[task.part].runs) {
    for (int n = run.first; n < run.end; ++n) run_instance(task, run, n);
  }
}

void ForwardPhases::run_instance(const Task& task, const UnitRun& run, int n) const {
  const LoweredUnit& unit = context_.units[run.unit];
  const UnitGraph& graph = unit.graphs(n).forward;
  if (graph.outputs.empty()) return;
  const std::string name = unit.graph_name("forward", n);
  PhaseBuilder phase(context_, unit, "forward", n, Section::step, unit.variant(n));
  phase.connect(forward_ends(context_, {task.part, run, task}, unit, n));

  const auto serving = context_.builder.serving(served_by(task));
  const PreparedWeights* ready = prepared(run.unit);
  const GraphWeights weights =
      ready != nullptr ? ready->forward : phase.pack(name, graph, phase.gather(phase.load_weights(graph)));
  const GraphId forward = add_graph(context_.builder, name, GraphKind::forward, graph);
  context_.builder.begin_loop();
  for (int m = task.first; m < task.end; ++m) {
    const auto turn = context_.builder.micro_batch(m);
    call_micro_batch(phase, graph, forward, weights, {}, m);
  }
}

void write_inference(const LoweringContext& context) {
  const auto for_resident = [&](auto write) {
    if (context.resident()) for_runs(context, [&](const UnitRun& run) { write(context, context.units[run.unit]); });
  };
  for_resident(load_model);
  ForwardPhases forward(context);
  forward.prepare();
  for (const Task& task : schedule_forward(context.execution, context.device)) forward.run(task);
  for_resident(store_carried);
}

}  // namespace phasor
