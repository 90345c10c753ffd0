#include "engine/lower/unit_lowering.h"

#include "engine/ir/records.h"

namespace phasor {

namespace {

// The number of the stage instance that a unit's variable belongs to, counted over the whole model.
int instance_of(const Stages& stages, const UnitVariable& variable) {
  int instance = variable.row;
  for (int s = 0; s < variable.stage; ++s) instance += stages[s].instances;
  return instance;
}

}  // namespace

int square_sum_slot(ProgramBuilder& builder, bool sharded) {
  return builder.slot({.name = sharded ? "square_sum.sharded" : "square_sum.whole",
                       .content = Content::batch,
                       .bytes = kSquareSumSpec.bytes()});
}
int gathered_square_sums_slot(ProgramBuilder& builder, int replicas) {
  return builder.slot(
      {.name = "gathered.square_sum", .content = Content::batch, .bytes = replicas * kSquareSumSpec.bytes()});
}
int clip_slot(ProgramBuilder& builder) {
  return builder.slot({.name = "clip", .content = Content::batch, .bytes = size_of(DType::f32)});
}

UnitLowering::UnitLowering(ProgramBuilder& builder, const Stages& stages, const Unit& unit,
                           const OptimizerOptions& optimizer, const ExecutionOptions& execution,
                           const HostBuffers& buffers, bool resident)
    : builder_(builder),
      unit_(unit),
      optimizer_(optimizer),
      execution_(execution),
      buffers_(buffers),
      resident_(resident),
      boundaries_(static_cast<int>(number_instances(stages).back().stage)),
      stage_instances_(count_instances(stages)),
      sums_leaves_(execution.reproducible && execution.accumulation > 1) {
  for (const UnitVariable& v : unit.variables) {
    const Stage& stage = stages[v.stage];
    const Variable& variable = stage.variables[v.variable];
    placements_.push_back(place_variable(stage.graph.spec(variable.value), execution.replicas, execution.rts_threshold,
                                         !optimizer.stochastic_rounding));
    const UpdateDraw draw{.position = resident ? instance_of(stages, v) : 0, .number = v.variable};
    variables_.push_back({stage, variable, v.row, placements_.back(), draw});
  }
}

void UnitLowering::begin_phase(const std::string& kind, int n, Section section, const std::string& variant) {
  builder_.begin_phase(fmt::format("{} {}", kind, unit_.name), n, unit_.instances, section);
  slots_of_ = resident_ ? unit_.name : fmt::format("{} {}{}", kind, unit_.name, variant);
}

int UnitLowering::slot(const std::string& what, Content content, std::int64_t bytes) {
  return builder_.slot({.name = what, .phase = slots_of_, .content = content, .bytes = bytes});
}

int UnitLowering::state_slot(StateKind kind, int index) {
  const Placement& placement = placements_[index];
  // A gradient that is not scattered stays where it was accumulated.
  if (kind == StateKind::gradient && !placement.sharded) return accumulator(index);
  return slot(fmt::format("{}.{}", state_name(kind), unit_.graph[unit_.variables[index].value].name), content_of(kind),
              placement.local_bytes(kind));
}

int UnitLowering::gathered_weight(int index) {
  const Placement& placement = placements_[index];
  if (!placement.sharded) return state_slot(placement.computed_state(), index);
  return slot(fmt::format("gathered.{}", unit_.graph[unit_.variables[index].value].name), Content::weights,
              placement.gathered_bytes(placement.computed_state()));
}

int UnitLowering::accumulator(int index) {
  return slot(fmt::format("sum0.{}", unit_.graph[unit_.variables[index].value].name), Content::gradients,
              placements_[index].gathered_bytes(StateKind::gradient));
}

int UnitLowering::partial_sums(int index) {
  return slot(fmt::format("partial_sums.{}", unit_.graph[unit_.variables[index].value].name), Content::gradients,
              builder_.most_partial_sums() * placements_[index].gathered_bytes(StateKind::gradient));
}

int UnitLowering::state_buffer_of(StateKind kind, int index) {
  const VariableState& v = variables_[index];
  return builder_.buffer(state_buffer(kind, v.stage, v.variable, v.placement),
                         kind == StateKind::gradient ? Origin::program : Origin::state);
}

void UnitLowering::load_state(StateKind kind, int index, int n) {
  builder_.load(state_buffer_of(kind, index), variables_[index].row + n, state_slot(kind, index));
}

void UnitLowering::store_state(StateKind kind, int index, int n) {
  builder_.store(state_slot(kind, index), state_buffer_of(kind, index), variables_[index].row + n);
}

bool UnitLowering::exists(StateKind kind, int index) const {
  return kind != StateKind::rounded || placements_[index].rounds();
}

void UnitLowering::load_states(StateKind kind, int n) {
  for (int i = 0; i < static_cast<int>(variables_.size()); ++i) {
    if (exists(kind, i)) load_state(kind, i, n);
  }
}

void UnitLowering::store_states(StateKind kind, int n) {
  for (int i = 0; i < static_cast<int>(variables_.size()); ++i) {
    if (exists(kind, i)) store_state(kind, i, n);
  }
}

void UnitLowering::load_weights_for(const UnitGraph& graph, int n) {
  if (resident_) return;
  for (int k : graph.weights()) load_state(placements_[k].computed_state(), k, n);
}

void UnitLowering::gather_weights_for(const UnitGraph& graph) {
  for (int k : graph.weights()) {
    if (placements_[k].sharded) builder_.gather(state_slot(placements_[k].computed_state(), k), gathered_weight(k));
  }
}

void UnitLowering::pack_weights_for(const std::string& name, const UnitGraph& graph) {
  if (graph.packing.nodes.empty()) return;
  std::vector<std::int32_t> slots;
  for (int k : graph.packed_variables) slots.push_back(gathered_weight(k));
  for (int i = 0; i < static_cast<int>(graph.packing.outputs.size()); ++i) {
    slots.push_back(packed_weight(i, graph.packing.spec(graph.packing.outputs[i])));
  }
  builder_.call(builder_.graph(name + ".pack", GraphKind::pack, graph.packing), std::move(slots));
}

int UnitLowering::packed_weight(int index, const TensorSpec& spec) {
  return slot(fmt::format("packed{}", index), Content::packed_weights, spec.bytes());
}

void UnitLowering::store_gradients(int n) {
  if (!resident_) store_states(StateKind::gradient, n);
}

void UnitLowering::load_resident() {
  for (StateKind kind : kUpdatedStates) load_states(kind, 0);
}

void UnitLowering::store_resident() {
  for (StateKind kind : kUpdatedStates) store_states(kind, 0);
}

void UnitLowering::reduce_gradients() {
  for (int i = 0; i < static_cast<int>(variables_.size()); ++i) {
    const bool scatters = placements_[i].sharded;
    if (sums_leaves_ && scatters) {
      builder_.reduce_scatter_partials(partial_sums(i), state_slot(StateKind::gradient, i));
    } else if (sums_leaves_) {
      builder_.all_reduce_partials(partial_sums(i), accumulator(i));
    } else if (scatters) {
      builder_.reduce_scatter(accumulator(i), state_slot(StateKind::gradient, i));
    } else if (execution_.replicas > 1) {
      builder_.all_reduce(accumulator(i));
    }
  }
}

void UnitLowering::add_square_sums() {
  for (const bool sharded : {true, false}) {
    std::vector<Placement> placements;
    std::vector<std::int32_t> slots;
    for (int i = 0; i < static_cast<int>(variables_.size()); ++i) {
      if (placements_[i].sharded != sharded) continue;
      placements.push_back(placements_[i]);
      slots.push_back(state_slot(StateKind::gradient, i));
    }
    if (placements.empty()) continue;
    slots.insert(slots.end(), 2, square_sum_slot(builder_, sharded));
    const int graph = builder_.graph(fmt::format("{}.square_sum.{}", unit_.name, sharded ? "sharded" : "whole"),
                                     GraphKind::square_sum, square_sum_graph(placements));
    builder_.call(graph, std::move(slots));
  }
}

// Loads a row into a slot of its own and returns the slot.
int UnitLowering::loaded(int buffer, std::int64_t row, const std::string& what, Content content) {
  const int place = slot(what, content, builder_.bytes_of_row(buffer));
  builder_.load(buffer, row, place);
  return place;
}

}  // namespace phasor
