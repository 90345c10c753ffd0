// What training GPT-2 takes by definition, whatever an implementation does: the common measure of their speeds.
#pragma once

#include "models/gpt2/config.h"

namespace phasor::gpt2 {

// Floating-point operations of the forward and backward pass of a row of S tokens, a multiply-add counting as two:
//   6 x (parameters of the layers + vocabulary x hidden) x S   2 forward, 4 backward
//   + 6 x layers x S^2 x hidden_size                           attention's products, of which causal attention needs
//   half
// What an execution computes again does not count. Chowdhery et al., "PaLM", 2022, appendix B, counts attention whole.
double training_flops_per_sample(const Config& config);

}  // namespace phasor::gpt2
