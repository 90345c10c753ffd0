// The phases of a program without those that repeat others: all that is needed to know where its slots can lie.
#pragma once

#include "engine/program/program.h"

namespace phasor {

// In their order. Where some phases in a row do the same to the same slots as those in front of them, again and again,
// as the layers of a deep model do, the first two turns and the last are there. Whatever passes from phase to phase in
// slots, being alive or under way, is the same behind the first turn as behind each other, and in front of the last
// as in front of each other: so every set of slots that are alive together in some phase is so in one of these.
std::vector<Phase> distinct_phases(const Program& program);

}  // namespace phasor
