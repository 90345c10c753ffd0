// Proves a plan of a program's memory, by going through the steps as a run would.
#pragma once

#include "engine/program/memory/program_plan.h"

namespace phasor {

// Throws InternalError unless every slot, whenever a step reads it, holds all that was last written to it: nothing
// else was written to a byte of it since, by a transfer under way neither; nothing that one step uses overlaps; every
// offset is aligned, everything lies within the peak, and the peak is not below the lower bound. So are the graphs'
// workspaces inside. `program` is sound; `threads` as in plan_program. Knows nothing of live ranges.
void check_plan(const Program& program, const ProgramPlan& plan, int threads);

}  // namespace phasor
