// The sizes of a BERT. Devlin et al., 2018.
#pragma once

#include <cstdint>

namespace phasor::bert {

struct Config {
  int layers = 2;
  std::int64_t hidden_size = 128;
  std::int64_t heads = 4;
  std::int64_t intermediate_size = 512;
  std::int64_t sequence_length = 384;  // of the run; max_positions is the model's
  std::int64_t max_positions = 512;
  std::int64_t vocab_size = 30522;
  std::int64_t token_types = 2;
  std::int64_t padding_token = 0;  // its word embedding gets no gradient
  float dropout_prob = 0.1f;
  float layer_norm_eps = 1e-12f;
  float initializer_range = 0.02f;
};

// Throws UserError where the sizes contradict each other.
void validate(const Config& config);

}  // namespace phasor::bert
