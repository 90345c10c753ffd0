#include "models/gpt2/stage_parts.h"
#include "models/layers/norm.h"

namespace phasor::gpt2 {

namespace {

// The greatest logit, the sum of exponentials and the label's logit of each token.
TensorSpec sums_spec(const Config& config, layers::MicroBatch batch) {
  return {DType::f32, {batch.rows * batch.tokens_of_row(config.sequence_length), 3}};
}

Value batch_labels(StageBuilder& b, const Config& config, layers::MicroBatch batch) {
  return b.batch("labels", {DType::i32, {batch.rows, batch.tokens_of_row(config.sequence_length)}});
}
Value batch_weights(StageBuilder& b, const Config& config, layers::MicroBatch batch) {
  return b.batch("label_weights", {DType::f32, {batch.rows, batch.tokens_of_row(config.sequence_length)}});
}

Value final_norm(StageBuilder& b, const Config& config, const TensorSpec& x) {
  return layers::layer_norm(b, "ln_f", b.activation_in(x), config.layer_norm_eps);
}

Value words(StageBuilder& b, const Config& config, std::int64_t entries) {
  return b.tied_variable(kWords, {entries, config.hidden_size}, {kWordEmbedding, kWords});
}

void finish(StageBuilder& b, Value sums, Value weights, bool training) {
  if (training) {
    b.loss(b.vocabulary_loss(sums, weights));
  } else {
    b.result("sums", sums);
  }
}

Stage whole_head(const Config& config, layers::MicroBatch batch, bool training) {
  Stage stage{.name = "head", .prefix = kPrefix};
  StageBuilder b(stage);
  const Value x = final_norm(b, config, activation_spec(config, batch)), table = words(b, config, config.vocab_size);
  const Value labels = batch_labels(b, config, batch), weights = batch_weights(b, config, batch);
  finish(b, b.vocabulary_sums(x, table, labels, weights), weights, training);
  return stage;
}

Stage norm_stage(const Config& config, const TensorSpec& x) {
  Stage stage{.name = "final_norm", .prefix = kPrefix};
  StageBuilder b(stage);
  b.activation_out(final_norm(b, config, x));
  return stage;
}

Stage vocabulary_stage(const Config& config, layers::MicroBatch batch, std::int64_t entries) {
  Stage stage{.name = "vocabulary"};
  slice_stage(stage, config, entries);
  StageBuilder b(stage);
  const Value x = b.activation_in(activation_spec(config, batch)), table = words(b, config, entries);
  const Value labels = batch_labels(b, config, batch), weights = batch_weights(b, config, batch);
  const Builder::VocabularySlice slice{.position = b.position(), .before = b.partial_in(sums_spec(config, batch))};
  b.activation_out(b.vocabulary_sums(x, table, labels, weights, {.whole = config.vocab_size}, slice));
  return stage;
}

Stage loss_stage(const Config& config, layers::MicroBatch batch, bool training) {
  Stage stage{.name = "loss"};
  StageBuilder b(stage);
  const Value sums = b.activation_in(sums_spec(config, batch));
  const Value weights = training ? batch_weights(b, config, batch) : Value{};
  finish(b, training ? sums : b.reshape(sums, {3 * sums_spec(config, batch).shape[0]}), weights, training);
  return stage;
}

TensorSpec logits_spec(const Config& config, const GenerationShape& shape) {
  return {DType::f32, {shape.rows, config.vocab_size}};
}

Stage whole_logits(const Config& config, const GenerationShape& shape) {
  Stage stage{.name = "head", .prefix = kPrefix};
  StageBuilder b(stage);
  const Value x = final_norm(b, config, new_tokens_spec(config, shape)), table = words(b, config, config.vocab_size);
  b.result("logits", b.vocabulary_logits(x, table, batch_last(b, shape)));
  return stage;
}

Stage logits_of_slice(const Config& config, const GenerationShape& shape, std::int64_t entries) {
  Stage stage{.name = "vocabulary"};
  slice_stage(stage, config, entries);
  StageBuilder b(stage);
  const Value x = b.activation_in(new_tokens_spec(config, shape)), table = words(b, config, entries);
  const Builder::VocabularySlice slice{.position = b.position(), .before = b.partial_in(logits_spec(config, shape))};
  b.activation_out(b.vocabulary_logits(x, table, batch_last(b, shape), {.whole = config.vocab_size}, slice));
  return stage;
}

Stage result_stage(const Config& config, const GenerationShape& shape) {
  Stage stage{.name = "logits"};
  StageBuilder b(stage);
  const Value logits = b.activation_in(logits_spec(config, shape));
  b.result("logits", b.reshape(logits, {shape.rows * config.vocab_size}));
  return stage;
}

}  // namespace

Stages head_stages(const Config& config, layers::MicroBatch batch, std::int64_t slices, bool training) {
  const std::int64_t entries = entries_of_slice(config, slices);
  if (entries == config.vocab_size) return {whole_head(config, batch, training)};
  return {norm_stage(config, activation_spec(config, batch)), vocabulary_stage(config, batch, entries),
          loss_stage(config, batch, training)};
}

Stages logits_stages(const Config& config, const GenerationShape& shape, std::int64_t slices) {
  const std::int64_t entries = entries_of_slice(config, slices);
  if (entries == config.vocab_size) return {whole_logits(config, shape)};
  return {norm_stage(config, new_tokens_spec(config, shape)), logits_of_slice(config, shape, entries),
          result_stage(config, shape)};
}

}  // namespace phasor::gpt2
