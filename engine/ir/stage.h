// A stage: a part of a model with one activation in and one out (embedding, layer, head). Identical stages in a row
// are instances of one stage and share its graph. What a model is made of; how and where stages run is not its concern.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace phasor {

struct Initialiser {
  enum class Kind : std::uint8_t { zeros, ones, truncated_normal, uniform };
  Kind kind = Kind::zeros;
  float deviation = 0;  // of truncated_normal, which is cut at two deviations
  float limit = 0;      // of uniform, between -limit and limit
};

struct Variable {
  std::string name;  // within the stage: "attention.output.weight"
  Value value;       // the input of the stage's graph
  Initialiser initialiser;
  bool decays = true;  // whether weight decay applies
  // Canonical names where the variable is several of them, stacked along its first dimension in equal parts (queries,
  // keys and values in one matrix); empty: `name` itself.
  std::vector<std::string> parts;
};

// A tensor by the name under which the batch or the results carry it.
struct NamedValue {
  std::string name;
  Value value;
};

// The instances of a sliced stage are slices of its variables, tables too large to be on the device at once: each has
// as many of their rows, in order, and they make y together. x of the first is zero, y of one is x of the next, and y
// of the last is the stage's, whose gradient is dy to all of them; x gets none.
struct Stage {
  std::string name;
  int instances = 1;
  std::int64_t sliced_rows = 0;  // of all slices together, the last slice's padding not counted; 0: not sliced
  // Prefix of the variables' canonical names; {} in it stands for the instance: "bert.encoder.layer.{}.".
  std::string prefix;

  Graph graph;
  std::vector<Variable> variables;
  std::vector<NamedValue> batch;    // inputs that come with each micro-batch
  std::vector<NamedValue> results;  // outputs that are kept for the caller
  Value x, y;                       // activation in and out; invalid in the first and the last stage
  Value position;                   // of the micro-batch and instance (records.h); invalid where nothing asks for it
  Value loss;                       // [1], in the last stage of a model that trains; invalid elsewhere

  bool sliced() const { return sliced_rows > 0; }
};

// What an instance knows of itself.
struct InstanceNumbers {
  std::int64_t stage = 0;  // its number among all instances of the model, where a sliced stage counts as one
  std::int64_t slice = 0;  // which it is of a sliced stage; else 0
};

// A model: stages in order.
using Stages = std::vector<Stage>;

int count_instances(const Stages& stages);
std::vector<InstanceNumbers> number_instances(const Stages& stages);
// Elements of a variable: of one instance or, in a sliced stage, of all slices together.
std::int64_t count_elements(const Stage& stage, const Variable& variable);
std::int64_t count_parameters(const Stages& stages);

}  // namespace phasor
