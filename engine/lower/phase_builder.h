// Writes a phase of a unit: the verbs in which lowering.cpp tells what phases do. Verbs take slots and return slots, so
// that what one makes is seen to reach the next.
#pragma once

#include "engine/lower/buffers.h"
#include "engine/lower/parts.h"
#include "engine/lower/units/lowered_unit.h"
#include "engine/lower/units/options.h"
#include "engine/program/program_builder.h"

namespace phasor {

// What all phases of a program share.
struct LoweringContext {
  ProgramBuilder& builder;
  const OptimizerOptions& optimizer;
  const ExecutionOptions& execution;
  HostBuffers buffers;
  int stage_instances = 0;                     // of the model
  Boundaries boundaries, gradient_boundaries;  // of activations and of their gradients
  // The model, and which device this program is for.
  std::span<const LoweredUnit> units;
  std::span<const Part> parts;
  int device = 0;

  int devices() const { return execution.pipeline.devices; }
  // Whether a part is one unit, whose state stays in its slots from step to step.
  bool resident() const { return execution.mode == Mode::monolithic; }
  bool clips() const { return optimizer.max_grad_norm > 0; }
  BufferSpec step_buffer() const { return buffers.adam_step(optimizer.layer_decay == 1 ? 1 : stage_instances); }
  // Whether gradients are summed along one tree over all micro-batches (collective/tree_sum.h).
  bool sums_leaves() const { return execution.reproducible && execution.accumulation > 1; }
};

// A slot for each variable of the unit, invalid where there is none.
using VariableSlots = std::vector<SlotId>;

// What a graph reads of the variables, whole and laid out for it.
struct GraphWeights {
  VariableSlots whole;
  std::vector<SlotId> packed;  // in the order in which the graph numbers them
};

// What lies on the device of the variables' states, by kind.
using DeviceState = std::array<VariableSlots, kStateKinds>;
inline VariableSlots& slots_of(DeviceState& state, StateKind kind) { return state[static_cast<std::size_t>(kind)]; }
inline const VariableSlots& slots_of(const DeviceState& state, StateKind kind) {
  return state[static_cast<std::size_t>(kind)];
}

// What of a phase's activations comes from other devices or goes there, through links whose messages are numbered by
// micro-batch; invalid: nothing, it lies in remote rows. What is needed again is stored to its row all the same.
struct PhaseEnd {
  Link link;  // but for the bytes of a message
  bool is_stored = false;

  bool valid() const { return !link.name.empty(); }
};
struct PhaseEnds {
  PhaseEnd x, y, dx, dy;
  // Whether what slices have made of y, or of dx, goes to another device: it has rows of its own, since those of the
  // activation are that one's.
  bool shares_y = false, shares_dx = false;
};

class PhaseBuilder {
 public:
  // Begins the phase `kind` of an instance. Phases of one kind share their slots, and so do those that run other graphs
  // by `variant` among themselves; those of a resident unit share all.
  PhaseBuilder(const LoweringContext& context, const LoweredUnit& unit, const std::string& kind, int instance,
               Section section = Section::step, const std::string& variant = "");

  // This replica's part of the weights that `graph` reads, in the type in which it does.
  VariableSlots load_weights(const UnitGraph& graph);
  // What is sharded is made whole.
  VariableSlots gather(const VariableSlots& weights);
  // Names begin with that of `graph`, those of slots with `prefix`.
  GraphWeights pack(const std::string& name, const UnitGraph& graph, const VariableSlots& weights,
                    const std::string& prefix = "");
  // A state of each variable that has it, from its buffer or to it.
  void load(StateKind kind);
  void store(StateKind kind, const VariableSlots& slots);

  // A tensor's slot, and the same with what a row holds in it.
  SlotId slot(const std::string& name, Content content, std::int64_t bytes);
  SlotId load(const std::string& name, Content content, Row row);
  // Of the replica's part of a variable, of its sum over micro-batches, of one over replicas.
  SlotId state_slot(StateKind kind, int variable);
  SlotId sum_slot(int variable);
  SlotId partial_sums_slot(int variable);

  // Of what the unit carries from run to run in micro-batch m: the slot, which in a resident unit is its own, and where
  // it lies remotely.
  SlotId carried_slot(int number, int m);
  Row carried_row(int number, int m);

  // Where the sum of a variable's gradient over the micro-batches so far waits for the next.
  Row sum_row(int variable);

  // What the phase exchanges with other devices; none: nothing.
  void connect(const PhaseEnds& ends) { ends_ = ends; }
  const PhaseEnds& ends() const { return ends_; }

  // Of the phase's instance.
  Row state_row(StateKind kind, int variable);
  BufferId host_buffer(const BufferSpec& spec) { return context_.builder.buffer(spec, Origin::host); }
  BufferId own_buffer(const BufferSpec& spec) { return context_.builder.buffer(spec, Origin::program); }

  const LoweringContext& context() const { return context_; }
  ProgramBuilder& builder() const { return context_.builder; }
  const LoweredUnit& unit() const { return unit_; }
  int instance() const { return instance_; }

 private:
  const LoweringContext& context_;
  const LoweredUnit& unit_;
  int instance_;
  std::string slots_;  // whose the phase's slots are
  PhaseEnds ends_;
};

}  // namespace phasor
