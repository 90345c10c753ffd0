// Finds how long pieces of work take that nobody else disturbs, on a machine where others may.
#pragma once

#include <functional>
#include <vector>

#include "engine/collective/communicator.h"

namespace phasor {

// Seconds of each of `pieces` pieces of work. seconds_of(piece) is asked in rounds, one piece after the other, so that
// time passes between two measurements of a piece. Whatever disturbs one makes it slower, and seldom two alike: the
// fastest counts, and a piece is left out of further rounds once its two fastest of three or more rounds are within
// 5 %. After eight rounds, or three and two seconds, what is fastest so far has to do.
// Every member calls it with as many pieces; they are asked for the same ones at the same time, rank 0's times count,
// and all get them.
std::vector<double> fastest_in_rounds(int pieces, Communicator& members, const std::function<double(int)>& seconds_of);

}  // namespace phasor
