// A program for fewer micro-batches, made by leaving out steps: what a shorter run should be.
#pragma once

#include "engine/program/program.h"

namespace phasor::test {

// As the whole one, but for the room of its partial sums, which it has for more than it needs.
inline Program shortened(const Program& program, int micro_batches) {
  Program shorter = program;
  shorter.micro_batches = micro_batches;
  shorter.steps = {};
  for (Phase& phase : shorter.phases) {
    const int first = phase.first_step, end = phase.end_step;
    phase.first_step = static_cast<std::int32_t>(shorter.steps.size());
    for (int i = first; i < end; ++i) {
      if (program.steps[i].micro_batch < micro_batches) shorter.steps.push_back(program.steps[i]);
    }
    phase.end_step = static_cast<std::int32_t>(shorter.steps.size());
  }
  return shorter;
}

}  // namespace phasor::test
