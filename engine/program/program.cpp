#include "engine/program/program.h"

#include <algorithm>

namespace phasor {

std::string name_in_phase(const Slot& slot) {
  return slot.copy < 0 ? slot.name : fmt::format("{}#{}", slot.name, slot.copy);
}

std::string to_string(const Slot& slot) {
  return slot.phase.empty() ? name_in_phase(slot) : fmt::format("{}/{}", slot.phase, name_in_phase(slot));
}

std::string_view to_string(GraphKind kind) {
  switch (kind) {
    case GraphKind::forward:
      return "forward";
    case GraphKind::gradient:
      return "gradient";
    case GraphKind::update:
      return "update";
    case GraphKind::pack:
      return "pack";
    case GraphKind::square_sum:
      return "square sum";
    case GraphKind::clip:
      return "clip";
  }
  return {};
}

std::int64_t message_bytes(const Program& program, const Step& step) {
  return std::min(program.links[step.link].bytes, program.slots[step.slot].bytes - step.offset);
}

}  // namespace phasor
