#include "models/bert/flops.h"

#include "models/bert/stages.h"

namespace phasor::bert {

double training_flops_per_sample(const Config& config) {
  Stages stages = training_stages(config, 1);
  stages.erase(stages.begin(), stages.begin() + 2);  // the embeddings
  const auto parameters = static_cast<double>(count_parameters(stages));
  const auto sequence = static_cast<double>(config.sequence_length);
  return 6 * parameters * sequence +
         12.0 * config.layers * sequence * sequence * static_cast<double>(config.hidden_size);
}

std::vector<LinearSize> layer_linears(const Config& config) {
  const std::int64_t hidden = config.hidden_size, inner = config.intermediate_size;
  return {{hidden, 3 * hidden}, {hidden, hidden}, {hidden, inner}, {inner, hidden}};
}

}  // namespace phasor::bert
