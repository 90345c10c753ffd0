#include "engine/program/overlap/overlap.h"

#include "engine/program/overlap/issue_transfers.h"
#include "engine/program/overlap/prefetch.h"

namespace phasor {

namespace {

// State, and what moves outside of loops as well, is bulk even where slices of it move in turns.
void assign_queues(Program& program) {
  for (Buffer& buffer : program.buffers) {
    buffer.queue = buffer.origin == Origin::state ? Queue::bulk : Queue::micro_batch;
  }
  for (const Step& step : program.steps) {
    if (is_transfer(step) && step.turn < 0) program.buffers[step.buffer].queue = Queue::bulk;
  }
}

}  // namespace

Program overlap(Program program, OverlapDepth depth) {
  if (depth.phases == 0 && depth.calls == 0) return program;
  assign_queues(program);
  return issue_transfers(prefetch(std::move(program), depth), depth);
}

}  // namespace phasor
