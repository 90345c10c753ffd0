#include "models/plan/memory_use.h"

#include "models/machine/free_memory.h"
#include "models/plan/planned_run.h"
#include "models/plan/small_run.h"

namespace phasor::run {

namespace {

bool within(std::int64_t bytes, const std::optional<std::int64_t>& budget) { return !budget || bytes <= *budget; }

}  // namespace

MemoryUse memory_use(const ResolvedRun& run) {
  const PlannedRun planned = plan_run(small_run(run));
  std::int64_t of_a_replica = link_bytes(planned.pipeline);
  for (const ProgramPlan& plan : planned.plans) of_a_replica += plan.peak_bytes;
  return {.device_bytes = planned.peak_bytes(),
          .remote = remote_bytes(run, planned.pipeline),
          .process_bytes = kProgramBytes + run.execution.replicas * of_a_replica,
          .remote_in_files = run.store.in_files};
}

Budgets budgets_of(const ResolvedRun& run) {
  Budgets budgets;
  if (run.execution.device_memory > 0) budgets.device = run.execution.device_memory;
  if (run.host_memory) {
    budgets.host = run.host_memory;
    budgets.host_limit = "execution.host_memory";
  } else if (const std::optional<FreeMemory> free = free_memory()) {
    constexpr std::int64_t kPartForData = 16;  // and for what others take meanwhile
    budgets.host = free->bytes - free->bytes / kPartForData;
    budgets.host_limit = free->limit;
  }
  if (run.store.in_files) budgets.files = free_disk(run.store.path);
  return budgets;
}

bool fits_device(const MemoryUse& use, const Budgets& budgets) { return within(use.device_bytes, budgets.device); }
bool fits_host(const MemoryUse& use, const Budgets& budgets) { return within(use.host_bytes(), budgets.host); }
bool fits_files(const MemoryUse& use, const Budgets& budgets) { return within(use.file_bytes(), budgets.files); }

}  // namespace phasor::run
