#include "engine/program/overlap.h"

#include "engine/program/issue_transfers.h"
#include "engine/program/prefetch.h"

namespace phasor {

namespace {

void assign_queues(Program& program) {
  for (Buffer& buffer : program.buffers) buffer.queue = Queue::bulk;
  for (const Step& step : program.steps) {
    if (is_transfer(step) && step.micro_batch >= 0) program.buffers[step.buffer].queue = Queue::micro_batch;
  }
}

}  // namespace

Program overlap(Program program, int depth) {
  if (depth == 0) return program;
  assign_queues(program);
  return issue_transfers(prefetch(std::move(program), depth), depth);
}

}  // namespace phasor
