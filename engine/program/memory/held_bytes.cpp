#include "engine/program/memory/held_bytes.h"

namespace phasor {

BytesByContent held_bytes(const Program& program, std::span<const Occupant> occupants, int step) {
  BytesByContent held{};
  for (const Occupant& occupant : occupants) {
    if (occupant.begin > step || occupant.end <= step) continue;
    held[static_cast<std::size_t>(content_of(program, occupant))] += occupant.bytes;
  }
  return held;
}

std::vector<BytesByContent> held_bytes(const Program& program, std::span<const Occupant> occupants) {
  std::vector<BytesByContent> held(program.steps.size() + 1, BytesByContent{});
  for (const Occupant& occupant : occupants) {
    const auto content = static_cast<std::size_t>(content_of(program, occupant));
    held[static_cast<std::size_t>(occupant.begin)][content] += occupant.bytes;
    held[static_cast<std::size_t>(occupant.end)][content] -= occupant.bytes;
  }
  for (std::size_t step = 1; step < held.size(); ++step) {
    for (std::size_t content = 0; content < kContents; ++content) held[step][content] += held[step - 1][content];
  }
  held.pop_back();
  return held;
}

}  // namespace phasor
