// The phases of a program that only goes forward.
#include "engine/lower/micro_batches.h"
#include "engine/lower/phases.h"

namespace phasor {

namespace {

// A unit's phase of an inference program.
void inference_phase(const LoweringContext& context, const LoweredUnit& unit, int n) {
  const UnitGraph& graph = unit.graphs(n).forward;
  const std::string name = unit.graph_name("forward", n);
  PhaseBuilder phase(context, unit, "forward", n, Section::step, unit.variant(n));
  const GraphWeights weights = phase.pack(name, graph, phase.gather(phase.load_weights(graph)));
  const GraphId forward = add_graph(context.builder, name, GraphKind::forward, graph);
  context.builder.begin_loop();
  for (int m = 0; m < context.execution.accumulation; ++m) {
    const auto turn = context.builder.micro_batch(m);
    call_micro_batch(phase, graph, forward, weights, {}, m);
  }
}

// Calls use(number, m) for what the unit carries, in every micro-batch.
template <class Use>
void for_carried(const LoweringContext& context, const LoweredUnit& unit, Use use) {
  for (int c = 0; c < static_cast<int>(unit.unit.carried.size()); ++c)
    for (int m = 0; m < context.execution.accumulation; ++m) use(c, m);
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

}  // namespace

void write_inference(const LoweringContext& context) {
  if (context.resident()) load_model(context, context.units.front());
  for (const LoweredUnit& unit : context.units) {
    for (int n = 0; n < unit.unit.instances; ++n) inference_phase(context, unit, n);
  }
  if (context.resident()) store_carried(context, context.units.front());
}

}  // namespace phasor
