// Phasor as a library: models of one's own (models/own/training.h), written as stages (engine/ir/stage_builder.h).
#pragma once

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/ir/stage_builder.h"
#include "models/layers/conv2d.h"
#include "models/layers/dropout.h"
#include "models/layers/linear.h"
#include "models/layers/norm.h"
#include "models/layers/segments.h"
#include "models/own/training.h"
