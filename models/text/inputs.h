// Text as a configuration asks for it.
#pragma once

#include <optional>
#include <string>

#include "io/byte_pair/byte_pair_encoding.h"
#include "io/listener/listener.h"
#include "models/config/resolved_run.h"
#include "models/gpt2/config.h"
#include "models/task_options/text_options.h"
#include "models/text/samples.h"

namespace phasor::text {

// The model and the options of a run whose task is text.
const gpt2::Config& model_of(const run::ResolvedRun& config);
const task_options::TextOptions& options_of(const run::ResolvedRun& config);

// That of data.vocab; nothing where there is none. One that has tokens which the model does not know is a UserError.
std::optional<io::BytePairEncoding> load_vocabulary(const run::ResolvedRun& config);

// The text of data.train, without what is held out, as samples to train by; that of data.dev, or what is held out, as
// samples to judge by. What is missing, and a token that the model does not know, is a UserError.
TextSamples training_samples(const run::ResolvedRun& config, io::Listener& listener);
TextSamples evaluated_samples(const run::ResolvedRun& config, io::Listener& listener);

}  // namespace phasor::text
