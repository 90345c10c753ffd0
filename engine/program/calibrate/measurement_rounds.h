// Finds how long pieces of work usually take, on a machine that others may be using.
#pragma once

#include <functional>
#include <vector>

#include "engine/collective/communicator.h"

namespace phasor {

// Seconds of each of `pieces` pieces of work. seconds_of(piece) is asked in five rounds, one piece after the other, so
// that time passes between two measurements of a piece, and the median of a piece's five counts: what disturbs it
// briefly does not show, while a share of the machine that others take all the time does, as it will in a run.
// Every member calls it with as many pieces and gets its own times; all are asked for a piece at the same time.
std::vector<double> medians_of_rounds(int pieces, Communicator& members, const std::function<double(int)>& seconds_of);

}  // namespace phasor
