// Makes a model's stages ready for lowering.
#pragma once

#include "engine/ir/stage.h"
#include "engine/lower/options.h"

namespace phasor {

// Fuses ops and brings the stages into the precision of compute. Variables keep their order, names and shapes.
Stages prepare_stages(const Stages& stages, Precision precision);

}  // namespace phasor
