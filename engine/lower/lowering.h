// Stages and options -> program.
#pragma once

#include "engine/ir/stage.h"
#include "engine/lower/options.h"
#include "engine/program/program.h"

namespace phasor {

// One optimizer step: forward phases, gradient phases from the last stage to the first, each with its update; with
// clipping the updates come as a third pass, when the norm is known. The program is named "train".
Program lower_training(const Stages& stages, const OptimizerOptions& optimizer, const ExecutionOptions& execution);

// Forward phases alone, whose results go to the host. The program is named "infer"; it shares the variables' buffers
// with "train". `execution.accumulation` is the number of micro-batches of a run.
Program lower_inference(const Stages& stages, const ExecutionOptions& execution);

}  // namespace phasor
