// What training and evaluation need alike before they can start.
#pragma once

#include <string>

#include "engine/program/execute/runner.h"
#include "io/terminal/progress.h"
#include "models/bert/config.h"
#include "models/config/run_config.h"
#include "models/squad/features.h"
#include "models/squad/spans.h"
#include "models/task_options/squad_options.h"

namespace phasor::run {

// The model and the options of a run whose task is SQuAD.
const bert::Config& model_of(const RunConfig& config);
const task_options::SquadOptions& options_of(const RunConfig& config);

// The replicas and the store that the configuration describes.
Machine make_machine(const RunConfig& config, const RunSizes& sizes);

// As data.* and model.sequence_length have them. `keep_characters` as in SquadSettings.
SquadSettings squad_settings(const RunConfig& config, bool keep_characters);
SpanSettings span_settings(const RunConfig& config);

// A UserError where neither checkpoint.load nor model.from says where weights come from.
void check_trained_model(const RunConfig& config);

// A vocabulary that is missing, or one of which `features` has tokens that the model does not know, is a UserError.
void check_vocabulary(const RunConfig& config);
void check_tokens(const RunConfig& config, const SquadFeatures& features);

// Lets this thread's loops use all the threads of the run.
void use_all_threads(const RunConfig& config);

// The features of a SQuAD file, from the cache if it has them. `keep_characters` as in SquadSettings.
SquadFeatures load_features(const RunConfig& config, const std::string& data, bool keep_characters,
                            io::ProgressStyle style);

}  // namespace phasor::run
