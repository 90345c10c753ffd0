// A program as text. Phases that differ only in their instance, and turns of micro-batches that differ only in rows and
// copies of slots, are folded: the first stands for all. Slots of other phases are written with their phase.
#pragma once

#include <string>

#include "engine/program/program.h"

namespace phasor {

std::string to_string(const Program& program);

}  // namespace phasor
