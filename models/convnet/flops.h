// What training the convnet takes by definition, whatever an implementation does.
#pragma once

#include "models/convnet/config.h"

namespace phasor::convnet {

// Floating-point operations of one sample's forward and backward pass, a multiply-add counting as two: 2 forward, 2 for
// a weight's gradient and 2 for that of what it is multiplied with, which of the images nobody asks for.
double training_flops_per_sample(const Config& config);

}  // namespace phasor::convnet
