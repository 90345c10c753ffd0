// What training BERT takes by definition, whatever an implementation does: the common measure of their speeds.
#pragma once

#include <vector>

#include "models/bert/config.h"

namespace phasor::bert {

// Floating-point operations of one sample's forward and backward pass, a multiply-add counting as two:
//   6 x parameters outside the embeddings x sequence        2 forward, 4 backward
//   + 12 x layers x sequence^2 x hidden_size                attention's products: 4 forward, 8 backward
// What an execution computes again does not count. Chowdhery et al., "PaLM", 2022, appendix B.
double training_flops_per_sample(const Config& config);

// The layers that are matrix products within an encoder layer: y[tokens, outputs] = x[tokens, inputs] w'.
struct LinearSize {
  std::int64_t inputs = 0, outputs = 0;
};
std::vector<LinearSize> layer_linears(const Config& config);

}  // namespace phasor::bert
