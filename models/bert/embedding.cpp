#include "engine/ir/stage_builder.h"
#include "models/bert/stage_parts.h"
#include "models/layers/dropout.h"
#include "models/layers/norm.h"
#include "models/layers/segments.h"

namespace phasor::bert {

namespace {

TensorSpec tokens_spec(const Config& config, layers::MicroBatch batch) {
  return {DType::i32, {batch.rows, batch.tokens_of_row(config.sequence_length)}};
}

Value embedding_table(StageBuilder& b, const Config& config, const char* name, std::int64_t entries) {
  const Initialiser normal{.kind = Initialiser::Kind::truncated_normal, .deviation = config.initializer_range};
  return b.variable(name, {entries, config.hidden_size}, normal, true);
}

}  // namespace

// y = words[ids]
Stage word_embedding_stage(const Config& config, layers::MicroBatch batch, std::int64_t slices) {
  Stage stage{.name = "word_embedding", .prefix = "bert.embeddings."};
  StageBuilder b(stage);
  const Value ids = b.batch("input_ids", tokens_spec(config, batch));
  const std::int64_t entries = (config.vocab_size + slices - 1) / slices;
  const Value words = embedding_table(b, config, "word_embeddings.weight", entries);
  if (entries == config.vocab_size) {
    b.activation_out(b.embedding(words, ids, {.padding = config.padding_token}));
    return stage;
  }
  stage.instances = static_cast<int>((config.vocab_size + entries - 1) / entries);
  stage.sliced_rows = config.vocab_size;
  const Value partial = b.partial_in(activation_spec(config, batch));
  b.activation_out(b.embedding_slice(partial, words, ids, b.position(),
                                     {.padding = config.padding_token, .whole = config.vocab_size}));
  return stage;
}

// y = dropout(layer_norm(x + types[token_type_ids] + positions[place of the token in its sample]))
Stage embedding_stage(const Config& config, layers::MicroBatch batch, bool training) {
  Stage stage{.name = "embedding", .prefix = "bert.embeddings."};
  StageBuilder b(stage);
  const Value word = b.activation_in(activation_spec(config, batch));
  const Value types = b.batch("token_type_ids", tokens_spec(config, batch));
  const Value segments = layers::segments_of(b, batch);
  const Value positions = embedding_table(b, config, "position_embeddings.weight", config.max_positions);
  const Value token_types = embedding_table(b, config, "token_type_embeddings.weight", config.token_types);

  Value x = b.add(word, b.embedding(token_types, types));  // [rows, sequence, hidden]
  x = b.add(x, b.embedding(positions, b.places(segments, tokens_spec(config, batch).shape)));
  x = layers::layer_norm(b, "LayerNorm", x, config.layer_norm_eps);
  b.activation_out(layers::dropout(b, x, training ? config.dropout_prob : 0, segments));
  return stage;
}

}  // namespace phasor::bert
