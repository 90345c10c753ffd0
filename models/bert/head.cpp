#include "engine/ir/stage_builder.h"
#include "models/bert/stage_parts.h"
#include "models/layers/linear.h"
#include "models/layers/segments.h"

namespace phasor::bert {

// Two logits a token: of being the answer's first and its last.
Stage head_stage(const Config& config, layers::MicroBatch batch, bool training) {
  Stage stage{.name = "head"};
  StageBuilder b(stage);
  const Value x = b.activation_in(activation_spec(config, batch));
  const Value per_token = layers::linear(b, "qa_outputs", x, 2, config.initializer_range);  // [rows, sequence, 2]
  const Value logits = b.reshape(b.transpose(per_token), {2 * batch.rows, batch.tokens_of_row(config.sequence_length)});
  if (training) {
    const Value labels = b.batch("labels", {DType::i32, {2 * batch.rows, batch.samples_of_row}});
    const Value weights = b.batch("label_weights", {DType::f32, {2 * batch.rows, batch.samples_of_row}});
    b.loss(b.cross_entropy(logits, labels, weights, layers::segments_of(b, batch)));
  } else {
    b.result("logits", logits);
  }
  return stage;
}

}  // namespace phasor::bert
