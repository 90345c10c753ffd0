// Which blocks are alive together, and how many bytes at most.
#pragma once

#include "engine/plan/memory_plan.h"

namespace phasor {

struct Interference {
  std::vector<std::vector<int>> neighbours;  // of each block, ascending: the blocks alive at a time when it is
  std::int64_t lower_bound_bytes = 0;
};

// Bytes count rounded up to kAlignment.
Interference find_interference(const MemoryRequest& request);

}  // namespace phasor
