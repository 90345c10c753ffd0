#include "engine/plan/interference.h"

#include <algorithm>
#include <bit>

#include "engine/base/tensor.h"

namespace phasor {

namespace {

struct Event {
  int time;
  bool birth;  // deaths of one time come before its births: a range that ends at t is dead at t + 1
  int block;
  friend auto operator<=>(const Event&, const Event&) = default;
};

std::vector<Event> sorted_events(const MemoryRequest& request) {
  std::vector<Event> events;
  events.reserve(2 * request.ranges.size());
  for (const LiveRange& range : request.ranges) {
    events.push_back({range.begin, true, range.block});
    events.push_back({range.end + 1, false, range.block});
  }
  std::sort(events.begin(), events.end());
  return events;
}

}  // namespace

Interference find_interference(const MemoryRequest& request) {
  const std::size_t blocks = request.bytes.size();
  constexpr std::size_t kWord = 64;
  const std::size_t words = (blocks + kWord - 1) / kWord;
  std::vector<std::uint64_t> together(blocks * words, 0);  // a row of bits for each block
  const auto note = [&](int a, int b) { together[a * words + b / kWord] |= std::uint64_t{1} << b % kWord; };
  std::vector<int> depth(blocks, 0);  // how many ranges of the block cover the current time
  std::vector<int> alive;
  Interference result;
  std::int64_t bytes = 0;
  for (const Event& event : sorted_events(request)) {
    if (!event.birth) {
      if (--depth[event.block] > 0) continue;
      alive.erase(std::find(alive.begin(), alive.end(), event.block));
      bytes -= align_up(request.bytes[event.block]);
      continue;
    }
    if (depth[event.block]++ > 0) continue;
    for (int other : alive) {
      note(event.block, other);
      note(other, event.block);
    }
    alive.push_back(event.block);
    bytes += align_up(request.bytes[event.block]);
    result.lower_bound_bytes = std::max(result.lower_bound_bytes, bytes);
  }
  result.neighbours.resize(blocks);
  for (std::size_t a = 0; a < blocks; ++a) {
    for (std::size_t word = 0; word < words; ++word) {
      for (std::uint64_t bits = together[a * words + word]; bits != 0; bits &= bits - 1) {
        result.neighbours[a].push_back(static_cast<int>(word * kWord) + std::countr_zero(bits));
      }
    }
  }
  return result;
}

}  // namespace phasor
