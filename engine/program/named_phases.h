// The phases of a training step by their names, as readers show them: one line for all layers.
#pragma once

#include <string>
#include <vector>

#include "engine/program/program.h"

namespace phasor {

struct NamedPhases {
  std::string name;
  std::vector<int> phases;                          // their numbers in the program, in order
  std::int64_t loaded_bytes = 0, stored_bytes = 0;  // in all of them together, by a replica
};

// Of section `step`, in the order in which they first run.
std::vector<NamedPhases> phases_by_name(const Program& program);

}  // namespace phasor
