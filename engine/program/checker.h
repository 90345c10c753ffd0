// Proves, without running it, that a program is sound: every slot is written before it is read and no write is lost
// unread; every row that the program itself makes is stored before it is loaded, and loaded before it is stored again;
// sizes agree; what a call overwrites in place may be overwritten. Of transfers under way: nothing touches a slot that
// one writes, nothing but another transfer of the same queue overwrites a slot that one reads, and all are done when
// their section is.
#pragma once

#include "engine/program/program.h"

namespace phasor {

// Throws InternalError naming the phase, the step and the thing.
void check_program(const Program& program);

}  // namespace phasor
