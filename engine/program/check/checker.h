// Proves, without running it, that a program is sound: its numbers name things that exist, sizes agree, every slot is
// written before it is read and no write is lost unread, no row is stored over what nothing has loaded, and what the
// program itself makes is stored before it is loaded, what a call overwrites in place may be overwritten, nothing
// disturbs a transfer that is under way, no leaf of a sum is missing, and all this in runs of fewer micro-batches, too.
// checks.h says it in full.
#pragma once

#include "engine/program/program.h"

namespace phasor {

// Throws InternalError naming the phase, the step and the thing.
void check_program(const Program& program);

}  // namespace phasor
