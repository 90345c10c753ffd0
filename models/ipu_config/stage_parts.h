// Which stage instances of a model the IPUs of an IPUConfig have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/architecture/model_config.h"

namespace phasor::ipu {

// The stage instances of a model that has layers: those in front of the layers, embeddings, and behind them, a head.
struct LayerStack {
  int before = 0, layers = 0, behind = 0;
};

// None where the model has no layers.
std::optional<LayerStack> stack_of(const architecture::ModelConfig& model);

// "0-4, 5-9, 10-13" (models/fields/stage_ranges.h) of the IPU that each layer is on: what is in front of the layers is
// on the first IPU, what is behind them on the last. Throws UserError where one would have nothing.
std::string stage_parts(const LayerStack& stack, const std::vector<int>& ipu_of_layer, int ipus);

}  // namespace phasor::ipu
