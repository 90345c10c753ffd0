// A program as text. Phases that differ only in their instance, and steps that repeat for each micro-batch, are folded.
#pragma once

#include <string>

#include "engine/program/program.h"

namespace phasor {

std::string to_string(const Program& program);

}  // namespace phasor
