#include "models/plan/forward_memory.h"

#include <algorithm>

#include "engine/lower/lowering.h"
#include "models/architecture/model_config.h"
#include "models/plan/small_run.h"

namespace phasor::run {

std::vector<ForwardArena> fullest_arenas(const ResolvedRun& run, const ForwardPrograms& programs) {
  std::vector<std::vector<ForwardArena>> of_devices;
  for (Pipeline& pipeline : programs(shallow_run(run))) {
    for (std::size_t device = 0; device < pipeline.devices.size(); ++device) {
      if (device == of_devices.size()) of_devices.emplace_back();
      Program& program = pipeline.devices[device];
      ProgramPlan plan = plan_program(program, run.execution.threads_per_replica);
      of_devices[device].push_back({std::move(program), std::move(plan)});
    }
  }
  return *std::ranges::max_element(of_devices, {}, [](const std::vector<ForwardArena>& arenas) {
    std::int64_t bytes = 0;
    for (const ForwardArena& arena : arenas) bytes += arena.plan.peak_bytes;
    return bytes;
  });
}

Stages forward_stages(const ResolvedRun& run) {
  return architecture::inference_stages(run.model, run.micro_batch(), run.table_slices);
}

std::vector<Pipeline> forward_programs(const ResolvedRun& run) {
  return {lower_inference_pipeline(prepare_stages(forward_stages(run), run.execution.precision), run.execution)};
}

std::int64_t forward_bytes(const ResolvedRun& run, const ForwardPrograms& programs) {
  std::int64_t bytes = 0;
  for (const ForwardArena& arena : fullest_arenas(run, programs)) bytes += arena.plan.peak_bytes;
  return bytes;
}

}  // namespace phasor::run
