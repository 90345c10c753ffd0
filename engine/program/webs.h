// What becomes of the values in a program's slots, one value at a time.
#pragma once

#include "engine/program/program.h"

namespace phasor {

// The life of one value in a slot: from the step that writes it to the last one that reads it, updates in place
// included. The webs of a slot follow one another.
struct Web {
  std::int32_t slot = -1;
  std::vector<int> steps;  // that use the slot, in order; the first writes it
};

struct Webs {
  std::vector<Web> webs;               // in the order of their first steps
  std::vector<std::vector<int>> uses;  // of each step: the webs that it uses, each once
};

// Slots that carry a value into another section or from step to step have no webs.
Webs find_webs(const Program& program);

}  // namespace phasor
