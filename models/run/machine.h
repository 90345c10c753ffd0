// The machine of a run.
#pragma once

#include <memory>

#include "engine/program/execute/runner.h"
#include "models/config/resolved_run.h"

namespace phasor::run {

// Where its remote buffers live.
std::unique_ptr<Store> make_store(const ResolvedRun& run);

// Its replicas, their devices and its store.
Machine make_machine(const ResolvedRun& run);

// The run on one replica with all threads, a row at a time: for a model that somebody waits for. A row passes through
// devices in turn: phases, which fit on one, take place on one; a model that is resident stays spread over all.
ResolvedRun one_at_a_time(ResolvedRun run);

// Lets this thread's loops use all the threads of the run.
void use_all_threads(const ResolvedRun& run);

}  // namespace phasor::run
