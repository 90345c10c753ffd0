// Gives names to what a stage computes, so that people, and whoever compares two executions, can tell its values apart.
#pragma once

#include "engine/ir/stage.h"

namespace phasor {

// Names every value that a node of the stage makes and that has no name yet: after the first variable that the node
// reads, "output.dense" of one that reads "output.dense.weight", else after its op, "gelu"; behind it the name of the
// output where a node has several, "LayerNorm.rstd", and a number where the name is taken, "add.1". Names are distinct.
// They follow from the nodes in their order, so that a model has the same names in either precision.
void name_values(Stage& stage);

}  // namespace phasor
