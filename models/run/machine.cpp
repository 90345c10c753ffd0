#include "models/run/machine.h"

#include "engine/base/parallel.h"

namespace phasor::run {

Machine make_machine(const ResolvedRun& run) {
  auto store = run.store.in_files ? file_store(run.store.path) : memory_store();
  return Machine(std::move(store), run.execution.replicas, run.execution.threads_per_replica);
}

ResolvedRun one_at_a_time(ResolvedRun run) {
  run.execution.threads_per_replica = run.all_threads();
  run.execution.replicas = 1;
  run.execution.accumulation = 1;
  run.micro_batch_size = 1;
  run.training.global_batch_size = 1;
  return run;
}

void use_all_threads(const ResolvedRun& run) { set_threads(run.all_threads()); }

}  // namespace phasor::run
