#include "models/run/machine.h"

#include "engine/base/parallel.h"

namespace phasor::run {

Machine make_machine(const ResolvedRun& run) {
  auto store = run.store.in_files ? file_store(run.store.path) : memory_store();
  return Machine(std::move(store), run.execution.replicas, run.execution.threads_per_replica);
}

void use_all_threads(const ResolvedRun& run) { set_threads(run.all_threads()); }

}  // namespace phasor::run
