// How devices that share a machine slow each other down.
#pragma once

#include <vector>

#include "engine/program/simulate/simulator.h"

namespace phasor {

// Of the time that each device works in the simulation, the part in which the others work, too: of several others the
// mean.
std::vector<double> overlaps(const PipelineSimulation& simulation);

// What a device does in a second that for this part of its time works beside the others, else alone. Both have rates of
// the same nodes and links.
Rates between(const Rates& alone, const Rates& together, double part_together);

}  // namespace phasor
