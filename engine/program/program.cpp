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

Access access_of(const Program& program, const Step& step) {
  switch (step.kind) {
    case StepKind::load:
    case StepKind::zero:
      return {{}, {step.slot}};
    case StepKind::receive:  // what follows the first message goes on with the slot
      if (step.offset == 0) return {{}, {step.slot}};
      return {{step.slot}, {step.slot}};
    case StepKind::store:
    case StepKind::send:
    case StepKind::wait:
      return {{step.slot}, {}};
    case StepKind::gather:
    case StepKind::reduce_scatter:
      return {{step.slot}, {step.target}};
    case StepKind::all_reduce:
      return {{step.slot}, {step.target >= 0 ? step.target : step.slot}};
    case StepKind::add_leaf:
      if (step.micro_batch == 0) return {{step.slot}, {step.target}};
      return {{step.slot, step.target}, {step.target}};
    case StepKind::call: {
      const Call& call = program.calls[step.call];
      const auto outputs = call.slots.begin() + static_cast<std::ptrdiff_t>(program.graph_of(call).inputs.size());
      return {{call.slots.begin(), outputs}, {outputs, call.slots.end()}};
    }
  }
  return {};
}

}  // namespace phasor
