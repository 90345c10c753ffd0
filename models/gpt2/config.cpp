#include "models/gpt2/config.h"

#include "engine/base/byte_size.h"
#include "engine/base/error.h"

namespace phasor::gpt2 {

namespace {

constexpr double kFloatBytes = 4, kStates = 4;  // weight, gradient and two moments

void check_state(const Config& c) {
  const auto hidden = static_cast<double>(c.hidden_size), inner = static_cast<double>(c.intermediate_size);
  const double tables = static_cast<double>(c.vocab_size + c.max_positions) * hidden;
  const double layer = 4 * hidden * (hidden + 1) + 2 * hidden * inner + inner + 5 * hidden;
  check_addressable(
      kFloatBytes * kStates * (c.layers * layer + tables),
      fmt::format("weights, gradients and moments: 16 × (model.layers {} × (4 × model.hidden_size {}² + 2 × {} × "
                  "model.intermediate_size {}) + (model.vocab_size {} + model.max_positions {}) × {})",
                  c.layers, c.hidden_size, c.hidden_size, c.intermediate_size, c.vocab_size, c.max_positions,
                  c.hidden_size));
}

// All that a layer makes of a token, whether it is kept or made again, but for the scores of attention.
void check_activations(const Config& c, std::int64_t samples) {
  const auto tokens = static_cast<double>(c.sequence_length);
  const double token = 16 * static_cast<double>(c.hidden_size) + 4 * static_cast<double>(c.intermediate_size);
  check_addressable(kFloatBytes * static_cast<double>(samples) * (c.layers + 2) * tokens * token,
                    fmt::format("activations: 4 × training.global_batch_size {} × (model.layers {} + 2) × "
                                "model.sequence_length {} × (16 × model.hidden_size {} + 4 × model.intermediate_size "
                                "{})",
                                samples, c.layers, c.sequence_length, c.hidden_size, c.intermediate_size));
}

}  // namespace

void validate(const Config& config) {
  check(config.layers > 0, "model.layers {} is not positive", config.layers);
  check(config.hidden_size > 0 && config.heads > 0 && config.hidden_size % config.heads == 0,
        "model.hidden_size {} is not a multiple of model.heads {}", config.hidden_size, config.heads);
  check(config.intermediate_size > 0, "model.intermediate_size {} is not positive", config.intermediate_size);
  check(config.sequence_length > 0 && config.sequence_length <= config.max_positions,
        "model.sequence_length {} is outside 1 .. model.max_positions {}", config.sequence_length,
        config.max_positions);
  check(config.vocab_size > 0, "model.vocab_size {} is not positive", config.vocab_size);
  check(config.dropout_prob >= 0 && config.dropout_prob < 1, "model.dropout_prob {} is outside [0, 1)",
        config.dropout_prob);
}

void check_totals(const Config& config, std::int64_t samples) {
  check_state(config);
  check_activations(config, samples);
}

std::string summary(const Config& config) {
  return fmt::format("{} layers of width {}, {} tokens a row", config.layers, config.hidden_size,
                     config.sequence_length);
}

}  // namespace phasor::gpt2
