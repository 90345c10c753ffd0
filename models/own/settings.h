// The settings of a model of one's own.
#pragma once

#include <map>
#include <string>

#include "engine/ir/stage.h"
#include "engine/train/schedule.h"
#include "models/config/resolved_run.h"

namespace phasor::own {

// Of what a configuration has, by key: "execution.device_memory" to "64MiB".
using Settings = std::map<std::string, std::string>;

// The run that the stages, of one micro-batch, make with such settings. Keys that say something of an architecture, and
// settings that contradict each other, are a UserError.
run::ResolvedRun resolve_settings(const Stages& stages, Settings settings);

// A UserError where a step's remote buffers take more than there is: weights with their moments, batches, activations
// between stages, which is the least of what they take. Nothing is reserved.
void check_room(const Stages& stages, const run::ResolvedRun& run);

// Of the learning rate; a UserError where it follows from a number of steps that is not given.
Schedule schedule_of(const run::TrainingConfig& training);

}  // namespace phasor::own
