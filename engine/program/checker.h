// Proves, without running it, that a program is sound: every slot is written before it is read and no write is lost
// unread; every row that the program itself makes is stored once, and before it is loaded; sizes agree; what a call
// overwrites in place may be overwritten.
#pragma once

#include "engine/program/program.h"

namespace phasor {

// Throws InternalError naming the phase, the step and the thing.
void check_program(const Program& program);

}  // namespace phasor
