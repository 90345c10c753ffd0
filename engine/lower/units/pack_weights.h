// Lays weights out for their products beforehand, once a phase instead of once a product.
#pragma once

#include "engine/lower/units/training_graphs.h"

namespace phasor {

// The same graph, with the weights of products packed where the machine gains by it.
UnitGraph pack_weights(const UnitGraph& graph);

}  // namespace phasor
