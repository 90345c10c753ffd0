// The features of SQuAD files, as a configuration asks for them.
#pragma once

#include <string>

#include "io/listener/listener.h"
#include "io/tokenizer/wordpiece.h"
#include "models/bert/config.h"
#include "models/config/resolved_run.h"
#include "models/run/trained_model.h"
#include "models/squad/samples.h"
#include "models/squad/spans.h"
#include "models/task_options/squad_options.h"

namespace phasor::squad {

// The model and the options of a run whose task is SQuAD.
const bert::Config& model_of(const run::ResolvedRun& config);
const task_options::SquadOptions& options_of(const run::ResolvedRun& config);

// As data.* and model.sequence_length have them. `keep_characters` as in FeatureSettings.
FeatureSettings feature_settings(const run::ResolvedRun& config, bool keep_characters);
SpanSettings span_settings(const run::ResolvedRun& config);

// That of data.vocab; a UserError where there is none.
io::WordPiece load_vocabulary(const run::ResolvedRun& config);

// Features that have tokens which the model does not know are a UserError.
void check_tokens(const run::ResolvedRun& config, const Features& features);

// The features of a SQuAD file, from the cache if it has them. `keep_characters` as in FeatureSettings.
Features load_features(const run::ResolvedRun& config, const std::string& data, bool keep_characters,
                       io::Listener& listener);

// Hands the logits of all features to `search`.
void search_spans(run::TrainedModel& model, const FeatureSamples& samples, SpanSearch& search, io::Progress& progress);

}  // namespace phasor::squad
