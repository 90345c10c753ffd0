// What the passes of a trained model, forward alone, take of the device.
#pragma once

#include <functional>
#include <vector>

#include "models/plan/planned_run.h"

namespace phasor::run {

// The programs through which a trained model is asked, each with an arena of its own beside those of the others: for
// micro-batches of run.micro_batch_size rows, run.execution.accumulation of them in a pass.
using ForwardPrograms = std::function<std::vector<Pipeline>(const ResolvedRun& run)>;

// The stages that score samples, and their program.
Stages forward_stages(const ResolvedRun& run);
std::vector<Pipeline> forward_programs(const ResolvedRun& run);

struct ForwardArena {
  Program program;
  ProgramPlan plan;
};
// Of a replica's fullest device.
std::vector<ForwardArena> fullest_arenas(const ResolvedRun& run, const ForwardPrograms& programs);
// All of them together.
std::int64_t forward_bytes(const ResolvedRun& run, const ForwardPrograms& programs);

}  // namespace phasor::run
