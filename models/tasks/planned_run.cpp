#include "models/tasks/planned_run.h"

#include "engine/train/lowering.h"
#include "engine/train/prepare.h"
#include "models/bert/stages.h"

namespace phasor::tasks {

PlannedRun plan_run(const RunConfig& config) {
  PlannedRun run{.sizes = validate(config)};
  run.execution = execution_options(config, run.sizes);
  if (run.execution.recompute == Recompute::automatic) run.execution.recompute = Recompute::none;
  const Stages stages =
      prepare_stages(bert::training_stages(config.model, config.execution.micro_batch_size, run.sizes.embedding_slices),
                     config.precision);
  run.parameters = count_parameters(stages);
  run.program = lower_training(stages, optimizer_options(config), run.execution);
  run.plan = plan_program(run.program, run.execution.threads_per_replica);
  return run;
}

}  // namespace phasor::tasks
