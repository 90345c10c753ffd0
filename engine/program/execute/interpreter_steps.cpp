// What each kind of step does. Those that move tensors between memories and devices: interpreter_moves.cpp.
#include "engine/base/copy.h"
#include "engine/collective/partial_sums.h"
#include "engine/program/execute/interpreter.h"
#include "engine/program/execute/stopwatch.h"

namespace phasor {

namespace {

template <class T>
std::span<T> as_elements(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

}  // namespace

std::byte* Interpreter::place(int slot) {
  if (program_.slots[slot].mapped) return rows_[slot];
  high_water_ = std::max(high_water_, plan_.slot_offsets[slot] + align_up(program_.slots[slot].bytes));
  return arena_.get() + plan_.slot_offsets[slot];
}

std::span<std::byte> Interpreter::bytes(int slot) {
  return {place(slot), static_cast<std::size_t>(width_->program->slots[slot].bytes)};
}

TraceMark Interpreter::mark() const { return {trace_, number_}; }

void Interpreter::run_step(const Step& step) {
  switch (step.kind) {
    case StepKind::load:
    case StepKind::store:
      transfer(step);
      break;
    case StepKind::wait: {
      const Stopwatch watch(time_.transfer);
      const TraceScope scope(mark());
      wait(step.slot);
      break;
    }
    case StepKind::send: {
      const TraceScope scope(mark());
      send(step);
      break;
    }
    case StepKind::receive: {
      const TraceScope scope(mark());
      receive(step);
      break;
    }
    case StepKind::gather: {
      const Stopwatch watch(time_.collective);
      const TraceScope scope(mark());
      communicator_.all_gather(bytes(step.slot), bytes(step.target));
      break;
    }
    case StepKind::reduce_scatter: {
      const Stopwatch watch(time_.collective);
      const TraceScope scope(mark());
      communicator_.reduce_scatter_partials(as_elements<float>(bytes(step.slot)), leaves(step),
                                            as_elements<float>(bytes(step.target)));
      break;
    }
    case StepKind::all_reduce: {
      const Stopwatch watch(time_.collective);
      const TraceScope scope(mark());
      communicator_.all_reduce_partials(as_elements<float>(bytes(step.slot)), leaves(step),
                                        as_elements<float>(bytes(step.partials ? step.target : step.slot)));
      break;
    }
    case StepKind::add_leaf: {
      const Stopwatch watch(time_.compute);
      const TraceScope scope(mark());
      const int first = LeafRun::of(communicator_.rank(), micro_batches_).first;
      phasor::add_leaf(as_elements<float>(bytes(step.target)), {first, first + step.micro_batch},
                       as_elements<float>(bytes(step.slot)));
      break;
    }
    case StepKind::zero: {
      const TraceScope scope(mark());
      clear_bytes(bytes(step.slot));
      break;
    }
    case StepKind::call:
      call(step);
      break;
  }
}

void Interpreter::call(const Step& step) {
  const Program& program = *width_->program;
  const Call& called = program.calls[step.call];
  map_outputs(called);
  tensors_.clear();
  for (std::size_t i = 0; i < called.slots.size(); ++i) tensors_.push_back(place(called.slots[i]) + called.offset(i));
  const std::int64_t workspace = plan_.workspace_offsets[called.graph];
  high_water_ = std::max(high_water_, workspace + plan_.workspaces[called.graph].peak_bytes);
  const Stopwatch watch(time_.compute);
  const TraceScope scope(mark());
  if (observer_ != nullptr) {
    observer_->call({.program = program,
                     .phase = *phase_,
                     .graph = program.graphs[called.graph],
                     .replica = communicator_.rank(),
                     .micro_batch = step.micro_batch,
                     .micro_batches = micro_batches_});
  }
  width_->executables[called.graph].run(tensors_, arena_.get() + workspace, observer_);
}

}  // namespace phasor
