#include "models/report/pipeline_picture.h"

#include "engine/program/memory/occupants.h"
#include "engine/program/step_label.h"
#include "io/figures/picture.h"
#include "io/files/atomic_file.h"
#include "models/report/plan_picture.h"

namespace phasor::run {

namespace {

enum Work : int { kForwardWork, kGradientWork, kUpdateWork, kOtherWork };

// By what it calls: a gradient that is used at once is updated in its phase.
Work work_in(const Program& program, const Phase& phase) {
  Work work = kOtherWork;
  for (int number = phase.first_step; number < phase.end_step; ++number) {
    const Step step = program.steps[number];
    if (step.kind != StepKind::call) continue;
    const GraphKind graph = program.graphs[program.calls[step.call].graph].kind;
    if (graph == GraphKind::forward) return kForwardWork;
    if (graph == GraphKind::gradient) return kGradientWork;
    if (graph == GraphKind::update) work = kUpdateWork;
  }
  return work;
}

}  // namespace

io::SchedulePicture schedule_picture(const Pipeline& pipeline, const PipelineSimulation& simulation) {
  io::SchedulePicture picture{.title = "Devices of a replica in one training step, as simulated",
                              .kinds = {"forward", "gradient", "update", "other"},
                              .seconds = simulation.step_seconds};
  for (const Program& program : pipeline.devices) {
    std::vector<Work> works;
    for (const Phase& phase : program.phases) works.push_back(work_in(program, phase));
    io::ScheduleRow row{.name = fmt::format("device {}", program.device),
                        .note = fmt::format("idle {:.1f} %", 100 * simulation.idle_share(program.device))};
    for (const BusySpan& span : simulation.devices[static_cast<std::size_t>(program.device)].busy) {
      const auto phase = static_cast<std::size_t>(span.phase);
      row.boxes.push_back({phase_label(program.phases[phase]), works[phase], span.begin, span.end});
    }
    picture.rows.push_back(std::move(row));
  }
  return picture;
}

void write_pipeline_picture(const std::string& path, const Pipeline& pipeline, std::span<const ProgramPlan> plans,
                            const PipelineSimulation& simulation, std::int64_t budget_bytes) {
  std::vector<std::string> pictures{io::schedule_svg(schedule_picture(pipeline, simulation))};
  for (const Program& program : pipeline.devices) {
    const ProgramPlan& plan = plans[static_cast<std::size_t>(program.device)];
    io::ArenaPicture arena = picture_of(program, plan, find_occupants(program, plan), budget_bytes);
    arena.title = fmt::format("Memory of device {} over its steps", program.device);
    pictures.push_back(io::arena_svg(arena));
  }
  io::write_file_atomically(path, io::stacked_svg(pictures));
}

}  // namespace phasor::run
