#include "engine/program/step_label.h"

#include <algorithm>
#include <fmt/format.h>

namespace phasor {

namespace {

// A graph's name without the stage's: "layer.update" is "update".
std::string_view without_stage(std::string_view name) {
  const std::size_t dot = name.find('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

// Without the phase, which "phase/slot" begins with.
std::string_view slot_label(const Program& program, int slot) {
  const std::string_view name = program.slots[slot].name;
  return name.substr(name.find('/') + 1);
}

}  // namespace

std::string phase_label(const Phase& phase) {
  return phase.instances > 1 ? fmt::format("{} {}", phase.name, phase.instance) : phase.name;
}

std::string step_label(const Program& program, const Step& step) {
  switch (step.kind) {
    case StepKind::load:
      return fmt::format("load {}[{}]", program.buffers[step.buffer].spec.name, step.row);
    case StepKind::store:
      return fmt::format("store {}[{}]", program.buffers[step.buffer].spec.name, step.row);
    case StepKind::gather:
      return fmt::format("gather {}", slot_label(program, step.slot));
    case StepKind::reduce_scatter:
    case StepKind::all_reduce:
      return fmt::format("reduce {}", slot_label(program, step.slot));
    case StepKind::add_leaf:
      return fmt::format("add {}", slot_label(program, step.slot));
    case StepKind::zero:
      return fmt::format("zero {}", slot_label(program, step.slot));
    case StepKind::call:
      return std::string(without_stage(program.graphs[program.calls[step.call].graph].name));
    case StepKind::wait:
      return fmt::format("wait {}", slot_label(program, step.slot));
  }
  return {};
}

const Phase& phase_of_step(const Program& program, int step) {
  const auto next = std::ranges::upper_bound(program.phases, step, {}, &Phase::first_step);
  ensure(next != program.phases.begin() && step < std::prev(next)->end_step, "program: no phase has step {}", step);
  return *std::prev(next);
}

}  // namespace phasor
