// Places blocks of memory that are alive at known times into one arena.
#pragma once

#include <cstdint>
#include <vector>

namespace phasor {

// A block is alive at the times begin, begin + 1, .., end. A block may be alive several times.
struct LiveRange {
  int block = 0;
  int begin = 0, end = 0;
};

struct MemoryRequest {
  std::vector<std::int64_t> bytes;  // of each block
  std::vector<LiveRange> ranges;
};

enum class Strategy : std::uint8_t {
  best,      // blocks that are never alive together share room
  no_reuse,  // every block has room of its own: the oracle for tests
};

struct MemoryPlan {
  std::vector<std::int64_t> offsets;   // of each block, multiples of kAlignment
  std::int64_t peak_bytes = 0;         // the arena's size
  std::int64_t lower_bound_bytes = 0;  // the largest sum of bytes alive at one time: no plan can do with less
};

// Blocks that are alive at the same time never overlap in the result. Deterministic: equal input gives equal offsets.
// O(ranges log ranges + blocks^2), in memory of O(ranges).
MemoryPlan plan_memory(const MemoryRequest& request, Strategy strategy = Strategy::best);

}  // namespace phasor
