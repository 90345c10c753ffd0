// A stage: a part of a model with one activation in and one out (embedding, layer, head). Identical stages in a row
// are instances of one stage and share its graph. What a model is made of; how and where stages run is not its concern.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace phasor {

struct Initialiser {
  enum class Kind : std::uint8_t { zeros, ones, normal, truncated_normal, uniform };
  Kind kind = Kind::zeros;
  float deviation = 0;  // of normal, and of truncated_normal, which is cut at two deviations
  float limit = 0;      // of uniform, between -limit and limit
};

// A variable by its stage's name and its own.
struct VariableName {
  std::string stage, variable;
};

struct Variable {
  std::string name;  // within the stage: "attention.output.weight"
  Value value;       // the input of the stage's graph
  Initialiser initialiser;
  bool decays = true;  // whether weight decay applies
  // Whether it stays as it is: it has no gradient and no moments. Where others are tied to it, they are frozen as well.
  bool frozen = false;
  // Canonical names where the variable is several of them, stacked along its first dimension in equal parts (queries,
  // keys and values in one matrix); empty: `name` itself.
  std::vector<std::string> parts;
  // Of a tied variable the one that it is, of an earlier stage with as many instances, in the same shape and type: it
  // reads that one's state, instance by instance, and its gradient joins that one's. What else is said here of it does
  // not count.
  std::optional<VariableName> tied_to;
};

// A tensor by the name under which the batch or the results carry it.
struct NamedValue {
  std::string name;
  Value value;
};

// What an instance hands on to its next run, for each micro-batch by itself: keys and values of the tokens so far. It
// begins as anything.
struct CarriedState {
  std::string name;  // within the stage
  Value before, after;
};

// The instances of a sliced stage are slices of its variables, tables too large to be on the device at once: each has
// as many of their rows, in order, and they make y together. `partial` is what those before have made of it, zero for
// the first, and y of the last is the stage's, whose gradient is dy to all of them; `partial` gets none. All read the
// same x, if there is one, and add to its gradient, from the last to the first.
struct Stage {
  std::string name;
  int instances = 1;
  std::int64_t sliced_rows = 0;  // of all slices together, the last slice's padding not counted; 0: not sliced
  // Prefix of the variables' canonical names; {} in it stands for the instance, counted from `first_number`:
  // "bert.encoder.layer.{}.".
  std::string prefix;
  int first_number = 0;

  Graph graph;
  std::vector<Variable> variables;
  std::vector<NamedValue> batch;      // inputs that come with each micro-batch
  std::vector<NamedValue> results;    // outputs that are kept for the caller
  std::vector<CarriedState> carried;  // of no stage that trains or is sliced
  Value x, y;                         // activation in and out; invalid in the first and the last stage
  Value partial;                      // y so far, of a sliced stage; else invalid
  Value position;                     // of the micro-batch and instance (records.h); invalid where nothing asks for it
  Value loss;                         // [1], in the last stage of a model that trains; invalid elsewhere

  bool sliced() const { return sliced_rows > 0; }
};

// What an instance knows of itself.
struct InstanceNumbers {
  std::int64_t stage = 0;  // its number among all instances of the model, where a sliced stage counts as one
  std::int64_t slice = 0;  // which it is of a sliced stage; else 0
};

// A model: stages in order.
using Stages = std::vector<Stage>;

// Of a variable that of its state, which is itself where it is not tied. Throws InternalError where it is tied to none.
struct VariablePlace {
  int stage = 0, variable = 0;
  friend bool operator==(const VariablePlace&, const VariablePlace&) = default;
};
VariablePlace owner_of(const Stages& stages, VariablePlace place);

// Whether the variable, or the one that it is tied to, is frozen.
bool is_frozen(const Stages& stages, VariablePlace place);

int count_instances(const Stages& stages);
std::vector<InstanceNumbers> number_instances(const Stages& stages);
// Elements of a variable: of one instance or, in a sliced stage, of all slices together.
std::int64_t count_elements(const Stage& stage, const Variable& variable);
std::int64_t count_parameters(const Stages& stages);

}  // namespace phasor
