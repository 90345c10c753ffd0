#include "models/machine/rates.h"

#include <algorithm>
#include <thread>

#include "engine/program/calibrate/calibration.h"
#include "models/machine/free_memory.h"
#include "models/machine/rates_cache.h"

namespace phasor::run {

namespace {

void slow_down(LinkRate& link, double factor) {
  link.latency_seconds *= factor;
  link.bytes_per_second /= factor;
  for (TimedBytes& timed : link.measured) timed.seconds *= factor;
}

// Devices that the machine has no cores for share those that it has.
void share_cores(Rates& rates, double devices_per_team) {
  for (auto& [name, rate] : rates.nodes) rate /= devices_per_team;
  for (LinkRate* link :
       {&rates.clear, &rates.load, &rates.store, &rates.gather, &rates.reduce_scatter, &rates.all_reduce}) {
    slow_down(*link, devices_per_team);
  }
}

// Of so many teams that work at the same time, from the cache as far as it has them.
Rates measured_rates(const Pipeline& pipeline, const ResolvedRun& run, int teams, bool anew) {
  const ExecutionOptions& execution = run.execution;
  const Program none, &program = pipeline.devices.empty() ? none : pipeline.first();
  const bool issues = std::ranges::any_of(program.steps, &Step::issues);
  const std::string path = rates_path(run.data.cache, {.replicas = teams,
                                                       .threads_per_replica = execution.threads_per_replica,
                                                       .transfers = issues ? "queued" : "inline"});
  Rates rates;
  if (!anew) rates = read_rates(path);
  Replicas replicas(teams, execution.threads_per_replica);
  bool nodes_changed = false;
  for (const Program& of_device : pipeline.devices) nodes_changed |= calibrate_nodes(of_device, replicas, rates);
  const bool links_changed = rates.clear.bytes_per_second == 0;
  if (links_changed) {
    RemoteMemory memory(memory_store(), teams);
    calibrate_links(program, replicas, memory, rates);
  }
  if (nodes_changed || links_changed) keep_rates(path, rates);

  if (run.store.in_files && !run.store.bytes_per_second) {
    RemoteMemory memory(file_store(existing_folder(run.store.path)), teams);
    Rates files = rates;
    calibrate_links(program, replicas, memory, files);
    rates.load = files.load;
    rates.store = files.store;
  }
  return rates;
}

// Of teams of so many devices.
Rates rates_of(const Pipeline& pipeline, const ResolvedRun& run, int devices, bool anew) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int teams = std::min(devices, cores);
  Rates rates = measured_rates(pipeline, run, teams, anew);
  rates.spare_cores = std::max(0.0, static_cast<double>(cores) / teams - run.execution.threads_per_replica);
  if (teams < devices) share_cores(rates, static_cast<double>(devices) / teams);
  if (run.store.bytes_per_second) {
    rates.load = rates.store = {.latency_seconds = 0, .bytes_per_second = *run.store.bytes_per_second};
  }
  if (run.store.latency_seconds) rates.load.latency_seconds = rates.store.latency_seconds = *run.store.latency_seconds;
  return rates;
}

}  // namespace

Rates machine_rates(const Pipeline& pipeline, const ResolvedRun& run, bool anew) {
  const ExecutionOptions& execution = run.execution;
  Rates rates = rates_of(pipeline, run, execution.replicas * execution.pipeline.devices, anew);
  // Replicas do the same at the same time; the devices of one often wait for each other.
  if (execution.pipeline.devices > 1) rates.alone.push_back(rates_of(pipeline, run, execution.replicas, anew));
  return rates;
}

}  // namespace phasor::run
