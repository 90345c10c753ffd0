#include "engine/program/step_label.h"

#include <algorithm>

namespace phasor {

std::string phase_label(const Phase& phase) {
  return phase.instances > 1 ? fmt::format("{} {}", phase.name, phase.instance) : phase.name;
}

std::string step_label(const Program& program, const Step& step) {
  const auto slot = [&] { return name_in_phase(program.slots[step.slot]); };
  switch (step.kind) {
    case StepKind::load:
      return fmt::format("load {}[{}]", program.buffers[step.buffer].spec.name, step.row);
    case StepKind::store:
      return fmt::format("store {}[{}]", program.buffers[step.buffer].spec.name, step.row);
    case StepKind::gather:
      return fmt::format("gather {}", slot());
    case StepKind::reduce_scatter:
    case StepKind::all_reduce:
      return fmt::format("reduce {}", slot());
    case StepKind::add_leaf:
      return fmt::format("add {}", slot());
    case StepKind::zero:
      return fmt::format("zero {}", slot());
    case StepKind::call:
      return std::string(to_string(program.graphs[program.calls[step.call].graph].kind));
    case StepKind::wait:
      return fmt::format("wait {}", slot());
    case StepKind::send:
      return fmt::format("send {}[{}]", program.links[step.link].name, step.row);
    case StepKind::receive:
      return fmt::format("receive {}[{}]", program.links[step.link].name, step.row);
  }
  return {};
}

const Phase& phase_of_step(const Program& program, int step) {
  const auto next = std::ranges::upper_bound(program.phases, step, {}, &Phase::first_step);
  ensure(next != program.phases.begin() && step < std::prev(next)->end_step, "program: no phase has step {}", step);
  return *std::prev(next);
}

}  // namespace phasor
