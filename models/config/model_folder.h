// model.from: a configuration that takes its model from a Transformers folder.
#pragma once

#include "models/config/config_file.h"

namespace phasor::run {

// Makes a configuration of which nothing is said yet one of the folder's kind of model and its task. What the folder
// is unknown as is left to the next function.
void choose_by_folder(RunConfig& config, const std::string& folder);

// Fills the model section, and data.vocab where it is empty, from the folder model.from, which holds a model of the
// architecture and the task that the configuration has: else a UserError. Keys that the user gave must
// agree with what the folder says, which is a UserError of both facts otherwise, with two exceptions: what is a choice
// of the run (dropout_prob, initializer_range) stays as given, and a sequence_length that was not given ends at
// max_positions.
void apply_model_folder(RunConfig& config, const GivenKeys& given);

}  // namespace phasor::run
