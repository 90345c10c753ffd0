#include "models/cli/plan_report.h"

#include <algorithm>

#include "engine/plan/cost.h"

namespace phasor::cli {

namespace {

void add_transfers(const Program& program, const Phase& phase, PhaseKind& kind) {
  for (int i = phase.first_step; i < phase.end_step; ++i) {
    const Step& step = program.steps[i];
    if (!is_transfer(step)) continue;
    (step.kind == StepKind::load ? kind.loaded_bytes : kind.stored_bytes) += program.slots[step.slot].bytes;
  }
}

double flops_of(const Program& program) {
  std::vector<double> flops;
  for (const NamedGraph& graph : program.graphs) flops.push_back(cost_of(graph.graph).flops);
  double sum = 0;
  for (const Step& step : program.steps) {
    if (step.kind == StepKind::call) sum += flops[program.calls[step.call].graph];
  }
  return sum;
}

}  // namespace

double PlanReport::samples_per_second() const {
  const double samples = static_cast<double>(replicas) * accumulation * static_cast<double>(micro_batch_size);
  return step_seconds > 0 ? samples / step_seconds : 0;
}

PlanReport report_plan(const Program& program, const ProgramPlan& plan, const Simulation& simulation,
                       std::span<const Occupant> occupants) {
  PlanReport report{.replicas = program.replicas,
                    .device_peak_bytes = plan.peak_bytes,
                    .device_lower_bound_bytes = plan.lower_bound_bytes,
                    .flops = flops_of(program),
                    .step_seconds = simulation.step_seconds};
  const std::vector<FullestMoment> moments = fullest_moments(occupants, program.phases);
  std::vector<int> fullest_steps;  // of each kind
  for (std::size_t i = 0; i < program.phases.size(); ++i) {
    const Phase& phase = program.phases[i];
    if (phase.section != Section::step) continue;
    auto kind = std::ranges::find(report.kinds, phase.name, &PhaseKind::name);
    if (kind == report.kinds.end()) {
      kind = report.kinds.insert(kind, {.name = phase.name, .seconds = {}});
      fullest_steps.push_back(phase.first_step);
    }
    ++kind->phases;
    add_transfers(program, phase, *kind);
    kind->seconds += simulation.phases[i];
    if (moments[i].bytes <= kind->peak_bytes) continue;
    kind->peak_bytes = moments[i].bytes;
    fullest_steps[static_cast<std::size_t>(kind - report.kinds.begin())] = moments[i].step;
  }
  for (const Occupant& occupant : occupants) {
    for (std::size_t k = 0; k < report.kinds.size(); ++k) {
      if (occupant.begin > fullest_steps[k] || occupant.end <= fullest_steps[k]) continue;
      report.kinds[k].held[static_cast<std::size_t>(content_of(program, occupant))] += occupant.bytes;
    }
  }
  for (const PhaseKind& kind : report.kinds) {
    report.loaded_bytes += kind.loaded_bytes;
    report.stored_bytes += kind.stored_bytes;
  }
  for (const Buffer& buffer : program.buffers) report.remote_bytes += buffer.spec.bytes(program.replicas);
  return report;
}

}  // namespace phasor::cli
