// What the phases of a part exchange with those of the parts in front of it and behind it, on other devices.
#pragma once

#include "engine/lower/phase_builder.h"
#include "engine/lower/schedule.h"

namespace phasor {

// What a part's micro-batches pass through: phases of its units, for some of the micro-batches.
struct PartPass {
  int part = 0;
  UnitRun run;
  Task task;
};

// Of an instance's phase. Of all instances of a sliced unit, which are in one part, each reads x and dy and the last
// that runs has y or dx.
PhaseEnds forward_ends(const LoweringContext& context, const PartPass& pass, const LoweredUnit& unit, int n);
PhaseEnds gradient_ends(const LoweringContext& context, const PartPass& pass, const LoweredUnit& unit, int n);

}  // namespace phasor
