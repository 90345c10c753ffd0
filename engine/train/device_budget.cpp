#include "engine/train/device_budget.h"

#include "engine/base/byte_size.h"

namespace phasor {

void check_budget(std::span<const ProgramPlan> plans, const ExecutionOptions& execution) {
  if (execution.device_memory == 0) return;
  for (std::size_t device = 0; device < plans.size(); ++device) {
    check(plans[device].peak_bytes <= execution.device_memory,
          "execution.device_memory {:.1f} MiB is too little: the plan{} takes {:.1f} MiB",
          mebibytes(execution.device_memory), plans.size() > 1 ? fmt::format(" of device {}", device) : "",
          mebibytes(plans[device].peak_bytes));
  }
}

}  // namespace phasor
