#include "models/gpt2/generation.h"

#include "models/gpt2/stage_parts.h"

namespace phasor::gpt2 {

TensorSpec new_tokens_spec(const Config& config, const GenerationShape& shape) {
  return {DType::f32, {shape.rows, shape.tokens, config.hidden_size}};
}

Value batch_places(StageBuilder& b, const GenerationShape& shape) {
  return b.batch("places", {DType::i32, {shape.rows, shape.tokens}});
}
Value batch_last(StageBuilder& b, const GenerationShape& shape) { return b.batch("last", {DType::i32, {shape.rows}}); }

Stages generation_stages(const Config& config, const GenerationShape& shape, std::int64_t slices) {
  validate(config);
  ensure(slices >= 1, "gpt2: {} slices of the word embedding", slices);
  ensure(shape.tokens >= 1 && shape.tokens <= shape.room && shape.room <= config.max_positions,
         "gpt2: {} new tokens in a room of {}, of {} positions", shape.tokens, shape.room, config.max_positions);
  Config rows_of_new = config;
  rows_of_new.sequence_length = shape.tokens;
  Stages stages{word_embedding_stage(rows_of_new, shape.rows, slices), placed_embedding_stage(config, shape),
                cached_layer_stage(config, shape)};
  for (Stage& stage : logits_stages(config, shape, slices)) stages.push_back(std::move(stage));
  return stages;
}

}  // namespace phasor::gpt2
