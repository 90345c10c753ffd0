// What becomes of the values in a program's slots, one value at a time.
#pragma once

#include <span>

#include "engine/program/program.h"

namespace phasor {

// The life of one value in a slot: from the step that writes it to the last one that reads it, updates in place
// included. The webs of a slot follow one another.
struct Web {
  std::int32_t slot = -1;
  std::int32_t first = -1, last = -1;  // of the steps that use the slot
  std::int32_t last_store = -1;        // of those that store it; -1: there is none
};

struct Webs {
  std::vector<Web> webs;  // in the order of their first steps

  // Of a step: the webs that it uses, each once.
  std::span<const std::int32_t> uses(std::size_t step) const {
    return std::span(used).subspan(static_cast<std::size_t>(begins[step]),
                                   static_cast<std::size_t>(begins[step + 1] - begins[step]));
  }

  std::vector<std::int32_t> used;    // of all steps, one behind the other
  std::vector<std::int32_t> begins;  // of each step and of the end: the first in `used`
};

// Slots that carry a value into another section or from step to step have no webs.
Webs find_webs(const Program& program);

// Of each slot: whether it is such a one, which some section uses before it writes it.
std::vector<bool> find_carried(const Program& program);

}  // namespace phasor
