// How the gradients of a phase's micro-batches, and then of the replicas, become one.
#pragma once

#include "engine/lower/phase_builder.h"

namespace phasor {

// The graph of each micro-batch adds its gradients to sums that it is given. Without `reproducible` these take one
// micro-batch after another. With it they are made anew for each, which is a leaf of the tree of collective/tree_sum.h,
// and added to partial sums: where in the tree a leaf stands follows from the replica and from how many micro-batches a
// run has, and the partial sums know it.
//
// Where a step's micro-batches come in groups, the sums wait for the next: in their slots where the unit is resident,
// else in remote rows.
class GradientSums {
 public:
  // In front of the loop over micro-batches: from nothing, or going on. Variables that are frozen have no sums: their
  // slots are invalid.
  enum class Begin : std::uint8_t { anew, going_on };
  explicit GradientSums(PhaseBuilder& phase, Begin begin = Begin::anew);

  // In a micro-batch's turn, in front of its call and behind it.
  const VariableSlots& begin_micro_batch();
  void end_micro_batch();

  // Behind the loop: for the next group.
  void keep();
  // Behind the last: the sums over all micro-batches of all replicas, this replica's part of those that are sharded.
  VariableSlots reduce();

 private:
  void zero();

  PhaseBuilder& phase_;
  VariableSlots sums_;
};

}  // namespace phasor
