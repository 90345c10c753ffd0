// What training and evaluation need alike before they can start.
#pragma once

#include <string>

#include "engine/program/runner.h"
#include "io/progress.h"
#include "models/tasks/run_config.h"
#include "models/tasks/squad_features.h"

namespace phasor::tasks {

// The replicas and the store that the configuration describes.
Machine make_machine(const RunConfig& config, const RunSizes& sizes);

// The features of a SQuAD file, from the cache if it has them. `keep_characters` as in SquadSettings.
SquadFeatures load_features(const RunConfig& config, const std::string& data, bool keep_characters,
                            io::ProgressStyle style);

}  // namespace phasor::tasks
