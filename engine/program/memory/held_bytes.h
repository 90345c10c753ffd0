// How much of the device memory holds what, at a moment or all along.
#pragma once

#include <span>
#include <vector>

#include "engine/program/memory/occupants.h"

namespace phasor {

// During a step; occupants as find_occupants orders them.
BytesByContent held_bytes(const Program& program, std::span<const Occupant> occupants, int step);

// During each step of the program.
std::vector<BytesByContent> held_bytes(const Program& program, std::span<const Occupant> occupants);

}  // namespace phasor
