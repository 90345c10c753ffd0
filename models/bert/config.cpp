#include "models/bert/config.h"

#include "engine/base/error.h"

namespace phasor::bert {

void validate(const Config& config) {
  check(config.layers > 0, "model.layers {} is not positive", config.layers);
  check(config.hidden_size > 0 && config.heads > 0 && config.hidden_size % config.heads == 0,
        "model.hidden_size {} is not a multiple of model.heads {}", config.hidden_size, config.heads);
  check(config.intermediate_size > 0, "model.intermediate_size {} is not positive", config.intermediate_size);
  check(config.sequence_length > 0 && config.sequence_length <= config.max_positions,
        "model.sequence_length {} is outside 1 .. model.max_positions {}", config.sequence_length,
        config.max_positions);
  check(config.vocab_size > 0 && config.token_types > 0, "model.vocab_size {} or model.token_types {} is not positive",
        config.vocab_size, config.token_types);
  check(config.dropout_prob >= 0 && config.dropout_prob < 1, "model.dropout_prob {} is outside [0, 1)",
        config.dropout_prob);
}

}  // namespace phasor::bert
