// What comes of comparing executions step by step, as data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/shape.h"
#include "models/verify/values/numbers.h"

namespace phasor::run {

// One number of one tensor in one step, and when in the step it is made.
struct VerifiedPlace {
  std::int64_t step = 0;     // of the run, from 1
  std::string phase;         // of the first execution, with its stage: "gradient layer 3"
  int micro_batch = -1;      // of the step's; -1: it is of all
  std::string tensor;        // "moment1/bert.encoder.layer.0.output.dense.bias", "loss", or that of an activation
  Shape shape;               // of the tensor
  std::int64_t element = 0;  // in row-major order
};

struct VerifiedDifference {
  VerifiedPlace place;
  Numbers numbers;
  std::int64_t different = 1, elements = 1;  // of the tensor
  std::string facts;                         // instead of the numbers, where they are not known
};

// How the difference grows: of each layer's state, the norm of the difference over the norm of the state, the largest
// of weights and either moment.
struct DifferenceGrowth {
  std::vector<std::int64_t> steps;
  std::vector<std::string> layers;            // "layer 3"
  std::vector<std::vector<double>> relative;  // of each layer, of each step
};

// What rounding can explain (bound.h).
struct RoundingVerdict {
  bool within = true;
  double largest = 0;        // part of its bound that a tensor has reached, the largest of all
  std::string at;            // that tensor
  std::int64_t at_step = 0;  //
  // Where it is not within: the first tensor that is beyond its bound, and the farthest of its elements.
  std::optional<VerifiedDifference> beyond;
};

// An execution beside the first one.
struct VerifiedPair {
  std::string beside;                       // what the first one is where it is another: "execution.mode phased"
  std::string name;                         // and what it is: "execution.mode monolithic"
  std::string explained;                    // why bits may differ; "": nothing of it changes a bit
  std::optional<VerifiedDifference> first;  // nothing: equal
  bool loss_differs = false;                // in the step of the first difference
  std::vector<VerifiedDifference> others;   // in that step, a tensor each, in the order in which they are made
  std::int64_t different_tensors = 0;       // of the state, in that step
  std::optional<RoundingVerdict> rounding;  // where it is asked
  DifferenceGrowth growth;
  std::int64_t steps = 0;        // compared
  std::int64_t numbers = 0;      // compared
  std::int64_t activations = 0;  // compared: tensors

  bool equal() const { return !first; }
};

struct VerifyResult {
  std::string name;                        // of the first execution: "execution.mode phased"
  std::int64_t first_step = 0, steps = 0;  // of the run: compared from the one behind first_step on
  std::int64_t tensors = 0, numbers = 0;   // of the state
  std::string fingerprint;                 // of the first execution's state, behind the last step
  std::vector<VerifiedPair> pairs;

  bool equal() const {
    for (const VerifiedPair& pair : pairs) {
      if (!pair.equal()) return false;
    }
    return true;
  }
};

}  // namespace phasor::run
