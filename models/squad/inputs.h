// What training and evaluation need alike before they can start.
#pragma once

#include <string>

#include "engine/program/execute/runner.h"
#include "io/terminal/progress.h"
#include "models/bert/config.h"
#include "models/config/resolved_run.h"
#include "models/squad/features.h"
#include "models/squad/spans.h"
#include "models/task_options/squad_options.h"

namespace phasor::run {

// The model and the options of a run whose task is SQuAD.
const bert::Config& model_of(const ResolvedRun& config);
const task_options::SquadOptions& options_of(const ResolvedRun& config);

// The replicas and the store of the run.
Machine make_machine(const ResolvedRun& config);

// As data.* and model.sequence_length have them. `keep_characters` as in SquadSettings.
SquadSettings squad_settings(const ResolvedRun& config, bool keep_characters);
SpanSettings span_settings(const ResolvedRun& config);

// A UserError where neither checkpoint.load nor model.from says where weights come from.
void check_trained_model(const ResolvedRun& config);

// A vocabulary that is missing, or one of which `features` has tokens that the model does not know, is a UserError.
void check_vocabulary(const ResolvedRun& config);
void check_tokens(const ResolvedRun& config, const SquadFeatures& features);

// Lets this thread's loops use all the threads of the run.
void use_all_threads(const ResolvedRun& config);

// The features of a SQuAD file, from the cache if it has them. `keep_characters` as in SquadSettings.
SquadFeatures load_features(const ResolvedRun& config, const std::string& data, bool keep_characters,
                            io::ProgressStyle style);

}  // namespace phasor::run
