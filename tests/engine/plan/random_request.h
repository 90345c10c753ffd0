// Requests of memory by chance.
#pragma once

#include <algorithm>

#include "engine/plan/memory_plan.h"
#include "tests/support/inputs.h"

namespace phasor::test {

// A stream of small random numbers.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}
  // In [0, end).
  int next(int end) { return static_cast<int>(unit_random(seed_, count_++) * end); }

 private:
  std::uint64_t seed_;
  std::size_t count_ = 0;
};

// Up to 40 blocks of up to 5000 bytes, alive none to three times within 60 steps; live ranges of one block may meet.
inline MemoryRequest random_request(std::uint64_t seed) {
  Draws draws(seed);
  MemoryRequest request;
  const int blocks = draws.next(41), longest = 1 + draws.next(30);
  for (int block = 0; block < blocks; ++block) {
    request.bytes.push_back(draws.next(10) == 0 ? 0 : draws.next(5000));
    for (int range = draws.next(4); range > 0; --range) {
      const int begin = draws.next(60);
      request.ranges.push_back({block, begin, begin + draws.next(longest)});
    }
  }
  return request;
}

inline bool alive(const MemoryRequest& request, int block, int time) {
  return std::ranges::any_of(request.ranges, [&](const LiveRange& range) {
    return range.block == block && range.begin <= time && time <= range.end;
  });
}

// Behind every range.
constexpr int kEnd = 60 + 30;

}  // namespace phasor::test
