#include "engine/lower/lamb.h"

#include "engine/ir/records.h"
#include "engine/lower/update.h"

namespace phasor {

namespace {

std::vector<int> adapting(const PhaseBuilder& phase) {
  return updated_variables(phase, [&](const PlacedVariable& variable) { return adapts(phase.context(), variable); });
}

// In a sliced unit they outlive a phase.
constexpr UpdateNumbers kSums{
    .name = "lamb_sums", .bytes = [](const PlacedVariable&) { return kLambSumsSpec.bytes(); }, .outlive_phase = true};
constexpr UpdateNumbers kRatio{
    .name = "lamb_ratio", .bytes = [](const PlacedVariable&) { return size_of(DType::f32); }, .outlive_phase = true};

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
  for (int v : adapting(phase)) zero(phase, kSums, v);
}

void lamb_moments(PhaseBuilder& phase, const DeviceState& present) {
  UpdateSlices(phase, present)
      .run({.name = "moments",
            .graph = lamb_moments_graph,
            .reads = kMomentsRead,
            .reads_beside = all_of<kSums>,
            .draws = false,
            .writes = kMomentsWritten,
            .writes_beside = all_of<kSums>},
           adapting(phase));
}

void lamb_ratios(PhaseBuilder& phase) {
  ProgramBuilder& builder = phase.builder();
  for (int v : adapting(phase)) {
    const bool sharded = phase.unit().variables[v].placement.sharded;
    const int replicas = sharded ? phase.context().execution.replicas : 1;
    SlotId sums = slot_of(phase, kSums, v);
    if (sharded) {
      const SlotId gathered = builder.slot(
          {.name = fmt::format("gathered.lamb_sums.{}.{}", phase.unit().unit.name, phase.unit().variables[v].name),
           .content = Content::batch,
           .bytes = replicas * kLambSumsSpec.bytes()});
      builder.gather(sums, gathered);
      sums = gathered;
    }
    const std::string name = fmt::format("ratio{}", replicas);
    GraphId graph = builder.find_graph(name);
    if (!graph.valid()) graph = builder.graph(name, GraphKind::update, lamb_ratio_graph(replicas));
    builder.call(graph, {sums, slot_of(phase, kRatio, v)});
  }
}

void lamb_weights(PhaseBuilder& phase, const DeviceState& present, bool goes_on) {
  UpdateSlices(phase, present)
      .run({.name = "weights",
            .graph = lamb_weights_graph,
            .reads = kWeightsRead,
            .reads_beside = all_of<kRatio>,
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
