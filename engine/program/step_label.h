// What a phase and a step of a program are called on a timeline.
#pragma once

#include <string>

#include "engine/program/program.h"

namespace phasor {

// "gradient layer 3"; "gradient head", where there is one instance only.
std::string phase_label(const Phase& phase);

// What the step does, without its phase: "update", "load layer.output.dense.bias.weight[3]", "wait dy".
std::string step_label(const Program& program, const Step& step);

// The phase that holds the step of that number.
const Phase& phase_of_step(const Program& program, int step);

}  // namespace phasor
