#include "models/bert/stages.h"

#include "models/bert/stage_parts.h"

namespace phasor::bert {

TensorSpec activation_spec(const Config& config, layers::MicroBatch batch) {
  return {DType::f32, {batch.rows, batch.tokens_of_row(config.sequence_length), config.hidden_size}};
}

namespace {
Stages make_stages(const Config& config, layers::MicroBatch batch, std::int64_t embedding_slices, bool training) {
  validate(config);
  ensure(embedding_slices >= 1, "bert: {} slices of the word embedding", embedding_slices);
  return {word_embedding_stage(config, batch, embedding_slices), embedding_stage(config, batch, training),
          layer_stage(config, batch, training), head_stage(config, batch, training)};
}
}  // namespace

Stages training_stages(const Config& config, layers::MicroBatch batch, std::int64_t embedding_slices) {
  return make_stages(config, batch, embedding_slices, true);
}

Stages inference_stages(const Config& config, layers::MicroBatch batch, std::int64_t embedding_slices) {
  return make_stages(config, batch, embedding_slices, false);
}

}  // namespace phasor::bert
