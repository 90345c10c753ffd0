#include "engine/lower/gradient_sums.h"

namespace phasor {

GradientSums::GradientSums(PhaseBuilder& phase, Begin begin) : phase_(phase) {
  for (int v = 0; v < phase.unit().count(); ++v) {
    sums_.push_back(phase.unit().variables[v].frozen ? SlotId{} : phase.sum_slot(v));
  }
  if (begin == Begin::anew) {
    if (!phase.context().sums_leaves()) zero();
  } else if (!phase.context().resident()) {
    for (int v = 0; v < phase.unit().count(); ++v) {
      if (sums_[v].valid()) phase.builder().load(phase.sum_row(v), sums_[v]);
    }
  }
}

void GradientSums::keep() {
  ensure(phase_.context().resident() || !phase_.context().sums_leaves(),
         "lowering: partial sums of phases do not wait in remote rows");
  if (phase_.context().resident()) return;
  for (int v = 0; v < phase_.unit().count(); ++v) {
    if (sums_[v].valid()) phase_.builder().store(sums_[v], phase_.sum_row(v));
  }
}

void GradientSums::zero() {
  for (SlotId sum : sums_) {
    if (sum.valid()) phase_.builder().zero(sum);
  }
}

const VariableSlots& GradientSums::begin_micro_batch() {
  if (phase_.context().sums_leaves()) zero();
  return sums_;
}

void GradientSums::end_micro_batch() {
  if (!phase_.context().sums_leaves()) return;
  for (int v = 0; v < phase_.unit().count(); ++v) {
    if (sums_[v].valid()) phase_.builder().add_leaf(sums_[v], phase_.partial_sums_slot(v));
  }
}

VariableSlots GradientSums::reduce() {
  const bool has_leaves = phase_.context().sums_leaves(), alone = phase_.context().execution.replicas == 1;
  ProgramBuilder& builder = phase_.builder();
  VariableSlots reduced = sums_;
  for (int v = 0; v < phase_.unit().count(); ++v) {
    if (!sums_[v].valid()) continue;
    const bool scatters = phase_.unit().variables[v].placement.sharded;
    if (scatters) reduced[v] = phase_.state_slot(StateKind::gradient, v);
    if (has_leaves && scatters) {
      builder.reduce_scatter_partials(phase_.partial_sums_slot(v), reduced[v]);
    } else if (has_leaves) {
      builder.all_reduce_partials(phase_.partial_sums_slot(v), reduced[v]);
    } else if (scatters) {
      builder.reduce_scatter(sums_[v], reduced[v]);
    } else if (!alone) {
      builder.all_reduce(sums_[v]);
    }
  }
  return reduced;
}

}  // namespace phasor
