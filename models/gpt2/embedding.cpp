#include "models/gpt2/stage_parts.h"
#include "models/layers/dropout.h"
#include "models/layers/segments.h"

namespace phasor::gpt2 {

namespace {

TensorSpec tokens_spec(const Config& config, layers::MicroBatch batch) {
  return {DType::i32, {batch.rows, batch.tokens_of_row(config.sequence_length)}};
}

Value embedding_table(StageBuilder& b, const Config& config, const char* name, std::int64_t entries) {
  return b.variable(name, {entries, config.hidden_size},
                    {.kind = Initialiser::Kind::normal, .deviation = config.initializer_range},
                    config.embeddings_decay);
}

Value position_table(StageBuilder& b, const Config& config) {
  return embedding_table(b, config, "wpe.weight", config.max_positions);
}

}  // namespace

// y = words[ids]
Stage word_embedding_stage(const Config& config, layers::MicroBatch batch, std::int64_t slices) {
  Stage stage{.name = kWordEmbedding, .prefix = kPrefix};
  StageBuilder b(stage);
  const Value ids = b.batch("input_ids", tokens_spec(config, batch));
  const std::int64_t entries = entries_of_slice(config, slices);
  const Value words = embedding_table(b, config, kWords, entries);
  slice_stage(stage, config, entries);
  if (!stage.sliced()) {
    b.activation_out(b.embedding(words, ids, {}));
    return stage;
  }
  const Value partial = b.partial_in(activation_spec(config, batch));
  b.activation_out(b.embedding_slice(partial, words, ids, b.position(), {.whole = config.vocab_size}));
  return stage;
}

// y = dropout(x + positions[place of the token in its segment])
Stage embedding_stage(const Config& config, layers::MicroBatch batch, bool training) {
  Stage stage{.name = "embedding", .prefix = kPrefix};
  StageBuilder b(stage);
  const Value x = b.activation_in(activation_spec(config, batch));
  const Value segments = layers::segments_of(b, batch);
  const Value positions = position_table(b, config);
  const Value places = b.places(segments, tokens_spec(config, batch).shape);
  b.activation_out(
      layers::dropout(b, b.add(x, b.embedding(positions, places, {})), training ? config.dropout_prob : 0, segments));
  return stage;
}

// y = x + positions[places]
Stage placed_embedding_stage(const Config& config, const GenerationShape& shape) {
  Stage stage{.name = "embedding", .prefix = kPrefix};
  StageBuilder b(stage);
  const Value x = b.activation_in(new_tokens_spec(config, shape));
  const Value positions = position_table(b, config);
  b.activation_out(b.add(x, b.embedding(positions, batch_places(b, shape), {})));
  return stage;
}

}  // namespace phasor::gpt2
