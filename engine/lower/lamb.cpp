#include "engine/lower/lamb.h"

#include "engine/ir/records.h"
#include "engine/lower/update.h"

namespace phasor {

namespace {

std::vector<int> adapting(const PhaseBuilder& phase) {
  std::vector<int> variables;
  for (int v = 0; v < phase.unit().count(); ++v) {
    if (adapts(phase.context(), phase.unit().variables[v])) variables.push_back(v);
  }
  return variables;
}

// Of the program, because in a sliced unit they outlive a phase.
SlotId lamb_slot(PhaseBuilder& phase, const char* kind, int variable, std::int64_t bytes) {
  const LoweredUnit& unit = phase.unit();
  return phase.builder().slot({.name = fmt::format("{}.{}.{}", kind, unit.unit.name, unit.variables[variable].name),
                               .content = Content::batch,
                               .bytes = bytes});
}
SlotId sums_slot(PhaseBuilder& phase, int variable) {
  return lamb_slot(phase, "lamb_sums", variable, kLambSumsSpec.bytes());
}
SlotId ratio_slot(PhaseBuilder& phase, int variable) {
  return lamb_slot(phase, "lamb_ratio", variable, size_of(DType::f32));
}
std::vector<SlotPlace> sums_place(PhaseBuilder& phase, const UpdateSlice& slice) {
  return {{.slot = sums_slot(phase, slice.variable)}};
}
std::vector<SlotPlace> ratio_place(PhaseBuilder& phase, const UpdateSlice& slice) {
  return {{.slot = ratio_slot(phase, slice.variable)}};
}

constexpr StateKind kMomentsRead[] = {StateKind::weight, StateKind::moment1, StateKind::moment2, StateKind::gradient};
constexpr StateKind kMomentsWritten[] = {StateKind::moment1, StateKind::moment2};
constexpr StateKind kWeightsRead[] = {StateKind::weight, StateKind::moment1, StateKind::moment2};
constexpr StateKind kWeightsWritten[] = {StateKind::weight, StateKind::rounded};

}  // namespace

bool adapts(const LoweringContext& context, const PlacedVariable& variable) {
  return context.optimizer.kind == OptimizerKind::lamb && variable.decays && !variable.tied && !variable.frozen;
}

bool adapts_over_phases(const LoweringContext& context, const LoweredUnit& unit) {
  return unit.unit.sliced && unit.unit.instances > 1 &&
         std::ranges::any_of(unit.variables, [&](const PlacedVariable& v) { return adapts(context, v); });
}

void lamb_begin(PhaseBuilder& phase) {
  for (int v : adapting(phase)) phase.builder().zero(sums_slot(phase, v));
}

void lamb_moments(PhaseBuilder& phase, const DeviceState& present) {
  UpdateSlices(phase, present)
      .run({.name = "moments",
            .graph = lamb_moments_graph,
            .reads = kMomentsRead,
            .reads_beside = sums_place,
            .draws = false,
            .writes = kMomentsWritten,
            .writes_beside = sums_place},
           adapting(phase));
}

void lamb_ratios(PhaseBuilder& phase) {
  ProgramBuilder& builder = phase.builder();
  for (int v : adapting(phase)) {
    const bool sharded = phase.unit().variables[v].placement.sharded;
    const int replicas = sharded ? phase.context().execution.replicas : 1;
    SlotId sums = sums_slot(phase, v);
    if (sharded) {
      const SlotId gathered = lamb_slot(phase, "gathered.lamb_sums", v, replicas * kLambSumsSpec.bytes());
      builder.gather(sums, gathered);
      sums = gathered;
    }
    const std::string name = fmt::format("ratio{}", replicas);
    GraphId graph = builder.find_graph(name);
    if (!graph.valid()) graph = builder.graph(name, GraphKind::update, lamb_ratio_graph(replicas));
    builder.call(graph, {sums, ratio_slot(phase, v)});
  }
}

void lamb_weights(PhaseBuilder& phase, const DeviceState& present, bool goes_on) {
  UpdateSlices(phase, present)
      .run({.name = "weights",
            .graph = lamb_weights_graph,
            .reads = kWeightsRead,
            .reads_beside = ratio_place,
            .clips = false,
            .writes = kWeightsWritten,
            .goes_on = goes_on},
           adapting(phase));
}

VariableSlots updated_weights(const LoweringContext& context, const LoweredUnit& unit, const DeviceState& state) {
  VariableSlots weights = slots_of(state, StateKind::weight);
  if (!adapts_over_phases(context, unit)) return weights;
  for (int v = 0; v < unit.count(); ++v) {
    if (adapts(context, unit.variables[v])) weights[v] = {};
  }
  return weights;
}

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

}  // namespace phasor
