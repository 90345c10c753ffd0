#include "models/plan/plan_report.h"

#include "engine/plan/cost.h"
#include "engine/program/distinct_phases.h"
#include "engine/program/memory/held_bytes.h"
#include "engine/program/named_phases.h"

namespace phasor::run {

namespace {

double flops_of(const Program& program) {
  std::vector<double> flops;
  for (const NamedGraph& graph : program.graphs) flops.push_back(cost_of(graph.graph).flops);
  double sum = 0;
  for (const Step& step : program.steps) {
    if (step.kind == StepKind::call) sum += flops[program.calls[step.call].graph];
  }
  return sum;
}

// What the device memory holds at the fullest moment of each kind of phase.
void add_peaks(const Program& program, const ProgramPlan& plan, std::vector<PhaseKind>& kinds) {
  const std::vector<Phase> phases = distinct_phases(program);
  const std::vector<Occupant> occupants = find_occupants(program, plan, phases);
  const std::vector<FullestMoment> moments = fullest_moments(occupants, phases);
  for (PhaseKind& kind : kinds) {
    FullestMoment fullest{.step = -1};
    for (std::size_t i = 0; i < phases.size(); ++i) {
      if (phases[i].section != Section::step || phases[i].name != kind.name) continue;
      if (fullest.step < 0 || moments[i].bytes > fullest.bytes) fullest = moments[i];
    }
    kind.peak_bytes = fullest.bytes;
    kind.held = held_bytes(program, occupants, fullest.step);
  }
}

}  // namespace

double PlanReport::samples_per_second() const {
  const double samples = static_cast<double>(replicas) * accumulation * static_cast<double>(micro_batch_size);
  return step_seconds > 0 ? samples / step_seconds : 0;
}

PlanReport report_plan(const Program& program, const ProgramPlan& plan, const Simulation& simulation) {
  PlanReport report{.replicas = program.replicas,
                    .device_peak_bytes = plan.peak_bytes,
                    .device_lower_bound_bytes = plan.lower_bound_bytes,
                    .flops = flops_of(program),
                    .step_seconds = simulation.step_seconds};
  for (const NamedPhases& named : phases_by_name(program)) {
    PhaseKind& kind = report.kinds.emplace_back();
    kind.name = named.name;
    kind.phases = static_cast<int>(named.phases.size());
    kind.loaded_bytes = named.loaded_bytes;
    kind.stored_bytes = named.stored_bytes;
    for (const int phase : named.phases) kind.seconds += simulation.phases[phase];
  }
  add_peaks(program, plan, report.kinds);
  for (const PhaseKind& kind : report.kinds) {
    report.loaded_bytes += kind.loaded_bytes;
    report.stored_bytes += kind.stored_bytes;
  }
  for (const Buffer& buffer : program.buffers) report.remote_bytes += buffer.spec.bytes(program.replicas);
  return report;
}

}  // namespace phasor::run
