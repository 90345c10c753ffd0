// When each slot and each graph's workspace holds something that is still needed.
#pragma once

#include "engine/plan/memory_plan.h"
#include "engine/program/program.h"

namespace phasor {

// Blocks are the slots, then the graphs' workspaces; times are numbers of steps. A value written before the `step`
// section and read in or after it, or carried from one step to the next, keeps its slot alive throughout. A slot is
// alive while a transfer of it is under way.
std::vector<LiveRange> find_liveness(const Program& program);
// As if the program had but these phases, of all sections, in their order.
std::vector<LiveRange> find_liveness(const Program& program, const std::vector<Phase>& phases);

}  // namespace phasor
