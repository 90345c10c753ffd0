#include "models/gpt2/flops.h"

#include <algorithm>

#include "models/gpt2/stages.h"

namespace phasor::gpt2 {

double training_flops_per_sample(const Config& config) {
  const Stages stages = training_stages(config, 1);
  const auto layer = std::ranges::find(stages, std::string("layer"), &Stage::name);
  const auto parameters = static_cast<double>(count_parameters({*layer}) + config.vocab_size * config.hidden_size);
  const auto sequence = static_cast<double>(config.sequence_length);
  return 6 * parameters * sequence +
         6.0 * config.layers * sequence * sequence * static_cast<double>(config.hidden_size);
}

}  // namespace phasor::gpt2
