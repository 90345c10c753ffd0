// Emits the steps of one unit's phases: the vocabulary in which lowering.cpp writes programs.
#pragma once

#include <string>
#include <vector>

#include "engine/lower/buffers.h"
#include "engine/lower/options.h"
#include "engine/lower/placement.h"
#include "engine/lower/unit.h"
#include "engine/lower/unit_graphs.h"
#include "engine/program/program_builder.h"

namespace phasor {

class UnitLowering {
 public:
  // A resident unit has one instance and keeps its state in its slots from step to step.
  UnitLowering(ProgramBuilder& builder, const Stages& stages, const Unit& unit, const OptimizerOptions& optimizer,
               const ExecutionOptions& execution, const HostBuffers& buffers, bool resident);

  // Everything below emits into the phase begun last, for instance n of the unit.
  // `variant` tells the slots of phases of one kind apart that run different graphs.
  void begin_phase(const std::string& kind, int n, Section section = Section::step, const std::string& variant = "");

  // The weights that `graph` reads: loads these of a unit that is not resident; makes sharded ones whole.
  void load_weights_for(const UnitGraph& graph, int n);
  void gather_weights_for(const UnitGraph& graph);
  void pack_weights_for(const std::string& name, const UnitGraph& graph);
  void store_gradients(int n);  // of a unit that is not resident

  // Runs `graph` on every micro-batch. A graph that has accumulators leaves the sum over micro-batches in them.
  // Instances from `first_kept` on keep activations of the specs `kept`.
  void run_micro_batches(const std::string& name, const UnitGraph& graph, const std::vector<TensorSpec>& kept,
                         int first_kept, int n);
  // Sums what the micro-batches have left over the replicas, and over the micro-batches where that is still to do.
  void reduce_gradients();
  // Adds the squares of this replica's gradients to the sums over the model.
  void add_square_sums();
  // Adam (update_lowering.cpp). The state of a resident unit is updated in place. That of others passes through the
  // device, large variables in slices; all but the weights that `computed`, a graph of this phase, has read. With
  // null the gradients are loaded, too.
  void update(const UnitGraph* computed, int n);

  // State of a resident unit, in sections begin and end.
  void load_resident();
  void store_resident();

 private:
  struct VariableState {
    const Stage& stage;
    const Variable& variable;
    int row;  // of instance 0
    Placement placement;
    UpdateDraw draw;
  };

  int slot(const std::string& what, Content content, std::int64_t bytes);
  int state_slot(StateKind kind, int index);
  int gathered_weight(int index);
  int packed_weight(int index, const TensorSpec& spec);
  int accumulator(int index);
  int partial_sums(int index);  // of a gradient over micro-batches
  bool exists(StateKind kind, int index) const;
  void load_state(StateKind kind, int index, int n);
  void store_state(StateKind kind, int index, int n);
  void load_states(StateKind kind, int n);
  void store_states(StateKind kind, int n);
  int state_buffer_of(StateKind kind, int index);
  void run_micro_batch(int graph_number, const UnitGraph& graph, const std::vector<TensorSpec>& kept, int first_kept,
                       int n, int m);
  // Where a slice's state of one kind lies during its update.
  struct UpdatePlace {
    std::int32_t slot = -1;
    std::int64_t offset = 0;  // in bytes, within the slot
    bool passes = false;      // is loaded before and stored after the update
  };
  UpdateSlice update_slice(int index, std::int64_t first, std::int64_t elements) const;
  UpdatePlace update_place(StateKind kind, const UpdateSlice& slice, const std::vector<StateKind>& present);
  // The kinds of a variable's state that lie whole in their slots when the update begins.
  std::vector<StateKind> present_states(int index, const UnitGraph* computed) const;
  void update_slices(const std::string& graph, const std::vector<UpdateSlice>& slices, const UnitGraph* computed,
                     int n);
  void zero_accumulators();
  void add_leaves();
  int loaded(int buffer, std::int64_t row, const std::string& what, Content content);

  ProgramBuilder& builder_;
  const Unit& unit_;
  const OptimizerOptions& optimizer_;
  const ExecutionOptions& execution_;
  const HostBuffers& buffers_;
  bool resident_;
  int boundaries_, stage_instances_;
  bool sums_leaves_;  // whether gradients are summed along one tree over all micro-batches
  std::vector<VariableState> variables_;
  std::vector<Placement> placements_;
  std::string slots_of_;  // what the slots of the current phase are shared by
};

// Slots that belong to the whole program. The sum over sharded variables is the replica's own.
int square_sum_slot(ProgramBuilder& builder, bool sharded);
int gathered_square_sums_slot(ProgramBuilder& builder, int replicas);
int clip_slot(ProgramBuilder& builder);

}  // namespace phasor
