// A stage: a part of a model with one activation in and one out (embedding, layer, head). Identical stages in a row
// are instances of one stage and share its graph. What a model is made of; how and where stages run is not its concern.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace phasor {

struct Initialiser {
  enum class Kind : std::uint8_t { zeros, ones, truncated_normal };
  Kind kind = Kind::zeros;
  float deviation = 0;  // of truncated_normal, which is cut at two deviations
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

struct Stage {
  std::string name;
  int instances = 1;
  // Prefix of the variables' canonical names; {} in it stands for the instance: "bert.encoder.layer.{}.".
  std::string prefix;

  Graph graph;
  std::vector<Variable> variables;
  std::vector<NamedValue> batch;    // inputs that come with each micro-batch
  std::vector<NamedValue> results;  // outputs that are kept for the caller
  Value x, y;                       // activation in and out; invalid in the first and the last stage
  Value position;                   // RandomPosition of the micro-batch and instance; invalid without dropout
  Value loss;                       // [1], in the last stage of a model that trains; invalid elsewhere
};

// A model: stages in order.
using Stages = std::vector<Stage>;

int count_instances(const Stages& stages);
std::int64_t count_parameters(const Stages& stages);

}  // namespace phasor
