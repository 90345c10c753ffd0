#include "engine/train/device_budget.h"

#include "engine/base/byte_size.h"

namespace phasor {

void check_budget(const ProgramPlan& plan, const ExecutionOptions& execution) {
  check(execution.device_memory == 0 || plan.peak_bytes <= execution.device_memory,
        "execution.device_memory {:.1f} MiB is too little: the plan takes {:.1f} MiB",
        mebibytes(execution.device_memory), mebibytes(plan.peak_bytes));
}

}  // namespace phasor
