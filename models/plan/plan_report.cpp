#include "models/plan/plan_report.h"

#include <algorithm>

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
void add_peaks(const Program& program, const ProgramPlan& plan, std::span<PhaseKind> kinds) {
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

namespace {

std::vector<PhaseKind> kinds_of(const Program& program, const ProgramPlan& plan, const Simulation& simulation) {
  std::vector<PhaseKind> kinds;
  for (const NamedPhases& named : phases_by_name(program)) {
    PhaseKind& kind = kinds.emplace_back();
    kind.name = named.name;
    kind.device = program.device;
    kind.phases = static_cast<int>(named.phases.size());
    kind.loaded_bytes = named.loaded_bytes;
    kind.stored_bytes = named.stored_bytes;
    for (const int phase : named.phases) kind.seconds += simulation.phases[phase];
  }
  add_peaks(program, plan, kinds);
  return kinds;
}

}  // namespace

double PipelineReport::textbook_idle_share() const {
  const auto others = static_cast<double>(devices.size()) - 1;
  return others / (static_cast<double>(parts) * groups + others);
}

PlanReport report_plan(const Pipeline& pipeline, std::span<const ProgramPlan> plans,
                       const PipelineSimulation& simulation) {
  const auto fullest = std::ranges::max_element(plans, {}, &ProgramPlan::peak_bytes);
  const int replicas = pipeline.first().replicas;
  PlanReport report{.replicas = replicas,
                    .device_peak_bytes = fullest->peak_bytes,
                    .device_lower_bound_bytes = fullest->lower_bound_bytes,
                    .step_seconds = simulation.step_seconds,
                    .pipeline = {.link_bytes = link_bytes(pipeline), .idle_share = simulation.idle_share()}};
  for (int d = 0; d < pipeline.size(); ++d) {
    const auto device = static_cast<std::size_t>(d);
    const Program& program = pipeline.devices[device];
    for (PhaseKind& kind : kinds_of(program, plans[device], simulation.devices[device])) {
      report.loaded_bytes += kind.loaded_bytes;
      report.stored_bytes += kind.stored_bytes;
      report.kinds.push_back(std::move(kind));
    }
    const double idle_share = simulation.idle_share(d);
    report.pipeline.devices.push_back({.peak_bytes = plans[device].peak_bytes,
                                       .lower_bound_bytes = plans[device].lower_bound_bytes,
                                       .flops = flops_of(program),
                                       .busy_seconds = simulation.step_seconds * (1 - idle_share),
                                       .idle_share = idle_share});
    report.flops += report.pipeline.devices.back().flops;
  }
  for (const Buffer& buffer : pipeline.buffers()) report.remote_bytes += buffer.spec.bytes(replicas);
  return report;
}

}  // namespace phasor::run
