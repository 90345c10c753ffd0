#include "models/gpt2/stages.h"

#include "models/gpt2/stage_parts.h"

namespace phasor::gpt2 {

TensorSpec activation_spec(const Config& config, layers::MicroBatch batch) {
  return {DType::f32, {batch.rows, batch.tokens_of_row(config.sequence_length), config.hidden_size}};
}

std::int64_t entries_of_slice(const Config& config, std::int64_t slices) {
  const std::int64_t blocks = (config.vocab_size + kVocabularyBlock - 1) / kVocabularyBlock;
  return std::min(config.vocab_size, (blocks + slices - 1) / slices * kVocabularyBlock);
}

void slice_stage(Stage& stage, const Config& config, std::int64_t entries) {
  if (entries == config.vocab_size) return;
  stage.instances = static_cast<int>((config.vocab_size + entries - 1) / entries);
  stage.sliced_rows = config.vocab_size;
}

namespace {
Stages make_stages(const Config& config, layers::MicroBatch batch, std::int64_t slices, bool training) {
  validate(config);
  ensure(slices >= 1, "gpt2: {} slices of the word embedding", slices);
  Stages stages{word_embedding_stage(config, batch, slices), embedding_stage(config, batch, training),
                layer_stage(config, batch, training)};
  for (Stage& stage : head_stages(config, batch, slices, training)) stages.push_back(std::move(stage));
  return stages;
}
}  // namespace

Stages training_stages(const Config& config, layers::MicroBatch batch, std::int64_t slices) {
  return make_stages(config, batch, slices, true);
}

Stages inference_stages(const Config& config, layers::MicroBatch batch, std::int64_t slices) {
  return make_stages(config, batch, slices, false);
}

}  // namespace phasor::gpt2
