#include "engine/lower/phase_builder.h"

namespace phasor {

PhaseBuilder::PhaseBuilder(const LoweringContext& context, const LoweredUnit& unit, const std::string& kind,
                           int instance, Section section, const std::string& variant)
    : context_(context), unit_(unit), instance_(instance) {
  const std::string name = fmt::format("{} {}", kind, unit.unit.name);
  slots_ = context.resident() ? unit.unit.name : name + variant;
  builder().begin_phase(name, instance, unit.unit.instances, section);
}

SlotId PhaseBuilder::slot(const std::string& name, Content content, std::int64_t bytes) {
  return builder().slot({.name = name, .phase = slots_, .content = content, .bytes = bytes});
}

SlotId PhaseBuilder::load(const std::string& name, Content content, Row row) {
  const SlotId loaded = slot(name, content, builder().bytes_of_row(row.buffer));
  builder().load(row, loaded);
  return loaded;
}

SlotId PhaseBuilder::state_slot(StateKind kind, int variable) {
  const PlacedVariable& v = unit_.variables[variable];
  if (v.owner >= 0 && kind != StateKind::gradient) return state_slot(kind, v.owner);
  if (v.tied && context_.resident() && kind != StateKind::gradient) {
    // On the same device the owner's own slot, else that into which it is sent.
    const LoweredUnit& owner = context_.units[v.owner_unit];
    const bool is_here = device_of(context_.parts, v.owner_unit, 0) == context_.device;
    return builder().slot(
        {.name = fmt::format("{}.{}", state_info(kind).slot, is_here ? owner.variables[v.owner_variable].name : v.name),
         .phase = is_here ? owner.unit.name : slots_,
         .content = state_info(kind).content,
         .bytes = v.placement.local_bytes(kind)});
  }
  // A gradient that is not scattered stays where it was summed.
  if (kind == StateKind::gradient && !v.placement.sharded) return sum_slot(variable);
  return slot(fmt::format("{}.{}", state_info(kind).slot, v.name), state_info(kind).content,
              v.placement.local_bytes(kind));
}

SlotId PhaseBuilder::sum_slot(int variable) {
  const PlacedVariable& v = unit_.variables[variable];
  return slot("sum." + v.name, Content::gradients, v.placement.gathered_bytes(StateKind::gradient));
}

SlotId PhaseBuilder::partial_sums_slot(int variable) {
  const PlacedVariable& v = unit_.variables[variable];
  return slot("partial_sums." + v.name, Content::gradients,
              builder().most_partial_sums() * v.placement.gathered_bytes(StateKind::gradient));
}

SlotId PhaseBuilder::carried_slot(int number, int m) {
  const UnitCarried& carried = unit_.unit.carried[number];
  const std::string name = context_.resident()
                               ? fmt::format("carried.{}.{}.{}.{}", carried.stage, carried.row, carried.name, m)
                               : "carried." + carried.name;
  return slot(name, Content::activations, unit_.unit.graph.spec(carried.before).bytes());
}

Row PhaseBuilder::carried_row(int number, int m) {
  const auto& [stage, name, instances, row, before, after] = unit_.unit.carried[number];
  const BufferSpec buffer = context_.buffers.carried(stage, name, unit_.unit.graph.spec(before), instances);
  const std::int64_t instance = row + instance_;
  return {builder().buffer(buffer, Origin::state), instance * context_.execution.accumulation + m};
}

Row PhaseBuilder::sum_row(int variable) {
  const PlacedVariable& v = unit_.variables[variable];
  const BufferSpec& gradient = v.buffer(StateKind::gradient);
  return {own_buffer({gradient.name + ".sum", {DType::f32, {v.placement.gathered_elements}}, gradient.rows}),
          v.row + instance_};
}

Row PhaseBuilder::state_row(StateKind kind, int variable) {
  const PlacedVariable& v = unit_.variables[variable];
  const Origin origin = kind == StateKind::gradient ? Origin::program : Origin::state;
  return {builder().buffer(v.buffer(kind), origin), v.row + instance_};
}

VariableSlots PhaseBuilder::load_weights(const UnitGraph& graph) {
  VariableSlots weights(unit_.variables.size());
  for (int v : graph.weights()) {
    const StateKind kind = unit_.variables[v].placement.computed_state();
    weights[v] = state_slot(kind, v);
    if (!context_.resident()) builder().load(state_row(kind, v), weights[v]);
  }
  return weights;
}

VariableSlots PhaseBuilder::gather(const VariableSlots& weights) {
  VariableSlots whole = weights;
  for (int v = 0; v < unit_.count(); ++v) {
    const Placement& placement = unit_.variables[v].placement;
    if (!weights[v].valid() || !placement.sharded) continue;
    if (unit_.variables[v].owner >= 0) continue;
    whole[v] = slot("gathered." + unit_.variables[v].name, Content::weights,
                    placement.gathered_bytes(placement.computed_state()));
    builder().gather(weights[v], whole[v]);
  }
  for (int v = 0; v < unit_.count(); ++v) {
    if (unit_.variables[v].owner >= 0) whole[v] = whole[unit_.variables[v].owner];
  }
  return whole;
}

GraphWeights PhaseBuilder::pack(const std::string& name, const UnitGraph& graph, const VariableSlots& weights,
                                const std::string& prefix) {
  GraphWeights result{.whole = weights, .packed = {}};
  const Graph& packing = graph.packing;
  if (packing.nodes.empty()) return result;
  std::vector<SlotId> slots;
  for (int v : graph.packed_variables) slots.push_back(weights[v]);
  for (Value output : packing.outputs) {
    result.packed.push_back(slot(fmt::format("{}packed{}", prefix, result.packed.size()), Content::packed_weights,
                                 packing.spec(output).bytes()));
    slots.push_back(result.packed.back());
  }
  GraphId packs = builder().find_graph(name + ".pack");
  if (!packs.valid()) packs = builder().graph(name + ".pack", GraphKind::pack, packing);
  builder().call(packs, slots);
  return result;
}

void PhaseBuilder::load(StateKind kind) {
  for (int v = 0; v < unit_.count(); ++v) {
    const PlacedVariable& variable = unit_.variables[v];
    if (variable.is_on_device(kind) && !variable.tied) builder().load(state_row(kind, v), state_slot(kind, v));
  }
}

void PhaseBuilder::store(StateKind kind, const VariableSlots& slots) {
  for (int v = 0; v < unit_.count(); ++v) {
    if (slots[v].valid()) builder().store(slots[v], state_row(kind, v));
  }
}

}  // namespace phasor
