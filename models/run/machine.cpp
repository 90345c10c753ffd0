#include "models/run/machine.h"

#include "engine/base/parallel.h"

namespace phasor::run {

std::unique_ptr<Store> make_store(const ResolvedRun& run) {
  return run.store.in_files ? file_store(run.store.path) : memory_store();
}

Machine make_machine(const ResolvedRun& run) {
  return Machine(make_store(run), run.execution.replicas, run.execution.threads_per_replica,
                 run.execution.pipeline.devices);
}

ResolvedRun one_at_a_time(ResolvedRun run) {
  const int threads = run.all_threads();
  if (run.execution.mode == Mode::phased) run.execution.pipeline = {};
  run.execution.threads_per_replica = threads / run.execution.pipeline.devices;
  run.execution.replicas = 1;
  run.execution.accumulation = 1;
  run.micro_batch_size = 1;
  run.training.global_batch_size = 1;
  return run;
}

void use_all_threads(const ResolvedRun& run) { set_threads(run.all_threads()); }

}  // namespace phasor::run
