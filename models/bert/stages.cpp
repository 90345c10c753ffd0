#include "models/bert/stages.h"

#include "models/bert/stage_parts.h"

namespace phasor::bert {

TensorSpec activation_spec(const Config& config, std::int64_t batch) {
  return {DType::f32, {batch, config.sequence_length, config.hidden_size}};
}

namespace {
Stages make_stages(const Config& config, std::int64_t batch, bool training) {
  validate(config);
  return {embedding_stage(config, batch, training), layer_stage(config, batch, training),
          head_stage(config, batch, training)};
}
}  // namespace

Stages training_stages(const Config& config, std::int64_t micro_batch_size) {
  return make_stages(config, micro_batch_size, true);
}

Stages inference_stages(const Config& config, std::int64_t micro_batch_size) {
  return make_stages(config, micro_batch_size, false);
}

}  // namespace phasor::bert
