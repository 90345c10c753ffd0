// Where a mapped slot lies that a step writes.
#pragma once

#include "engine/program/program.h"

namespace phasor {

// The step that stores the slot next behind step `number`: it names the row. -1: there is none in the program.
int store_behind(const Program& program, int number, std::int32_t slot);

}  // namespace phasor
