#include "engine/train/device_budget.h"

#include "engine/lower/lowering.h"

namespace phasor {

ExecutionOptions choose_recompute(const Stages& stages, const OptimizerOptions& optimizer, ExecutionOptions execution) {
  if (execution.recompute != Recompute::automatic) return execution;
  execution.recompute = Recompute::none;
  if (execution.device_memory == 0) return execution;
  const ProgramPlan plan = plan_program(lower_training(stages, optimizer, execution), execution.threads_per_replica);
  if (plan.peak_bytes > execution.device_memory) execution.recompute = Recompute::layer;
  return execution;
}

void check_budget(const ProgramPlan& plan, const ExecutionOptions& execution) {
  constexpr double kMebibyte = 1 << 20;
  check(execution.device_memory == 0 || plan.peak_bytes <= execution.device_memory,
        "execution.device_memory {:.1f} MiB is too little: the plan takes {:.1f} MiB. Smaller micro-batches, "
        "execution.recompute layer or a lower execution.prefetch_depth take less",
        static_cast<double>(execution.device_memory) / kMebibyte, static_cast<double>(plan.peak_bytes) / kMebibyte);
}

}  // namespace phasor
