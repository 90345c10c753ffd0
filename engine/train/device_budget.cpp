#include "engine/train/device_budget.h"

#include "engine/program/memory/byte_text.h"

namespace phasor {

void check_budget(std::span<const ProgramPlan> plans, const ExecutionOptions& execution) {
  if (execution.device_memory == 0) return;
  for (std::size_t device = 0; device < plans.size(); ++device) {
    check(
        plans[device].peak_bytes <= execution.device_memory,
        "execution.device_memory {} is too little: the plan{} takes {}. A smaller micro-batch, or a model of more and "
        "smaller stages, takes less",
        byte_text(execution.device_memory), plans.size() > 1 ? fmt::format(" of device {}", device) : "",
        byte_text(plans[device].peak_bytes));
  }
}

}  // namespace phasor
