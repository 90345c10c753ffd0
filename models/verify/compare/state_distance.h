// How the states of two executions of one model differ, whatever the layout of either.
#pragma once

#include <string>
#include <vector>

#include "models/verify/executions/state_reader.h"
#include "models/verify/values/numbers.h"

namespace phasor::run {

// Of one tensor: weight or moment.
struct TensorDistance {
  std::string name;   // "moment1/bert.pooler.bias"
  std::string layer;  // of the model: "layer 3"
  std::string phase;  // of the first execution, that changes it: "gradient layer 3"
  Shape shape;
  Distance distance;
};

// Every weight and moment of `a` and of another execution, in the order in which `a` updates them: the last layer's
// first. Holds a piece of two tensors in memory at a time, and what the reader does.
std::vector<TensorDistance> state_distances(Trainer& a, const StateReader& other);

// "layer 3" of an instance of a stage, "head" of one that has no others.
std::string layer_text(const Stage& stage, int instance);

}  // namespace phasor::run
