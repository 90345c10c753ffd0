#include "engine/ir/stage_builder.h"
#include "models/bert/stage_parts.h"
#include "models/layers/dropout.h"
#include "models/layers/norm.h"

namespace phasor::bert {

// y = dropout(layer_norm(words[ids] + types[token_type_ids] + positions))
Stage embedding_stage(const Config& config, std::int64_t batch, bool training) {
  Stage stage{.name = "embedding", .prefix = "bert.embeddings."};
  StageBuilder b(stage);
  const TensorSpec tokens{DType::i32, {batch, config.sequence_length}};
  const Value ids = b.batch("input_ids", tokens);
  const Value types = b.batch("token_type_ids", tokens);
  const Initialiser normal{.kind = Initialiser::Kind::truncated_normal, .deviation = config.initializer_range};
  const auto table = [&](const char* name, std::int64_t entries) {
    return b.variable(name, {entries, config.hidden_size}, normal, true);
  };
  const Value words = table("word_embeddings.weight", config.vocab_size);
  const Value positions = table("position_embeddings.weight", config.max_positions);
  const Value token_types = table("token_type_embeddings.weight", config.token_types);

  const Value word = b.embedding(words, ids, {.padding = config.padding_token});  // [batch, sequence, hidden]
  Value x = b.add(word, b.embedding(token_types, types));
  x = b.add(x, b.embedding(positions, b.iota({config.sequence_length})));
  x = layers::layer_norm(b, "LayerNorm", x, config.layer_norm_eps);
  b.activation_out(layers::dropout(b, x, training ? config.dropout_prob : 0));
  return stage;
}

}  // namespace phasor::bert
