// A unit of execution: what is traced into one graph and run at once. Phased execution has a unit a stage, whose
// instances run one after another; monolithic execution has one unit, the whole model.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/stage.h"

namespace phasor {

// A variable of one of the unit's stages; for the unit's instance n its state lies in row `row + n`.
struct UnitVariable {
  int stage = 0, variable = 0;
  int row = 0;
  Value value;
  bool frozen = false;
};

// Where random draws take their position from; for the unit's instance n that of stage instance `instance + n`.
struct UnitPosition {
  int instance = 0;  // counted over all stages
  Value value;
};

// A state that one of the unit's stages carries from run to run; for the unit's instance n that of row `row + n`.
struct UnitCarried {
  std::string stage, name;  // the stage's, and within it
  int instances = 1;        // of the stage
  int row = 0;
  Value before, after;
};

struct Unit {
  std::string name;
  int instances = 1;
  int first_instance = 0;  // number of instance 0, counted over all stages
  bool sliced = false;     // as in Stage
  // Number of the activation that instance 0 writes; it reads the one before, and so on. The slices of a sliced unit
  // make one activation in turn.
  int first_boundary = 0;
  int boundaries = 1;  // that an instance of several stages makes, the one that it writes included
  Graph graph;
  std::vector<UnitVariable> variables;
  std::vector<NamedValue> batch, results;
  std::vector<UnitPosition> positions;
  std::vector<UnitCarried> carried;
  Value x, y, partial, loss;  // as in Stage
  // Values that recomputation starts from, besides the graph's inputs: activations between stages, and all of the last
  // stage, whose gradient follows at once.
  std::vector<Value> kept;
  bool learns = true;             // whether it or anything in front of it has variables that are not frozen
  bool learns_before = true;      // whether anything in front of one of its instances has
  std::vector<int> stage_begins;  // of each stage instance in the graph: its first node
};

std::vector<Unit> stage_units(const Stages& stages);

// Stage instances in a row, counted over the model: [first, end).
struct InstanceRange {
  int first = 0, end = 0;
};

// The stages of so many instances one behind the other in one graph, none of them sliced. Variables stand in the order
// in which phases update them: the last stage instance's first.
Unit model_unit(const Stages& stages, InstanceRange instances, const std::string& name);
// All.
inline Unit model_unit(const Stages& stages) { return model_unit(stages, {0, count_instances(stages)}, "model"); }

}  // namespace phasor
