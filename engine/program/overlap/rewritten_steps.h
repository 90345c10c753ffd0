// The steps of a program that a pass writes anew, phase by phase, while it reads the old ones.
#pragma once

#include <utility>

#include "engine/program/program.h"

namespace phasor {

class RewrittenSteps {
 public:
  void begin_phase(const Phase& phase) {
    phases_.push_back(phase);
    phases_.back().first_step = phases_.back().end_step = next();
  }
  // In the phase begun last.
  void push_back(const Step& step) {
    steps_.push_back(step);
    phases_.back().end_step = next();
  }

  // `program` with these steps in the place of its own.
  Program in(Program program) && {
    program.phases = std::move(phases_);
    program.steps = std::move(steps_);
    return program;
  }

 private:
  std::int32_t next() const { return static_cast<std::int32_t>(steps_.size()); }

  std::vector<Phase> phases_;
  Steps steps_;
};

}  // namespace phasor
