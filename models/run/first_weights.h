// The weights that a run starts with.
#pragma once

#include <string>

#include "engine/train/state.h"
#include "io/listener/listener.h"
#include "models/architecture/model_config.h"
#include "models/checkpoint/checkpoint.h"
#include "models/config/resolved_run.h"

namespace phasor::run {

// Throws UserError if checkpoint.load or model.from, where given, is nothing that the next function could begin with.
// Reads no weight, so that a mistake shows before the work.
void check_first_weights(const ResolvedRun& config);

// Sets the state from checkpoint.load; else from the Transformers folder model.from; else at random from model.seed.
// Returns the position that goes with it: the checkpoint's, or the beginning.
RunPosition load_first_weights(const ResolvedRun& config, const Stages& stages, ModelState& state,
                               io::Listener& listener);

// The weights alone, from checkpoint.load or model.from, for a model that is asked; moments keep their values.
void load_trained_weights(const ResolvedRun& config, const Stages& stages, ModelState& state, io::Listener& listener);

// Sets every weight of the model from a Transformers folder and its moments to zero. A head that the folder lacks comes
// from the seed, which the listener is told, as it is what the folder has and the model has not. One variable is in
// memory at once. A folder of another model is a UserError and leaves the state as it was.
void load_folder(const std::string& folder, const architecture::ModelConfig& model, std::int64_t seed,
                 const Stages& stages, ModelState& state, io::Listener& listener);

}  // namespace phasor::run
