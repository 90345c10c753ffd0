// Lays weights out for their products beforehand, once a phase instead of once a product.
#pragma once

#include "engine/lower/units/training_graphs.h"

namespace phasor {

// The same graph, with the weights of products packed where the machine gains by it; without `all`, those alone whose
// products would have other bits as they lie. Bits are the same either way.
UnitGraph pack_weights(const UnitGraph& graph, bool all = true);

}  // namespace phasor
