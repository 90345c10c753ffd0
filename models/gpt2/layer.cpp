#include <cmath>

#include "models/gpt2/stage_parts.h"
#include "models/layers/dropout.h"
#include "models/layers/linear.h"
#include "models/layers/norm.h"
#include "models/layers/segments.h"

namespace phasor::gpt2 {

namespace {

Initialiser normal(float deviation) { return {.kind = Initialiser::Kind::normal, .deviation = deviation}; }

Stage empty_layer(const Config& config) {
  return {.name = "layer", .instances = config.layers, .prefix = std::string(kPrefix) + "h.{}."};
}

// h = x + dropout(W_o attend(layer_norm(x) W_qkv));  y = h + dropout(W_2 gelu(W_1 layer_norm(h)))
// What is added to x begins smaller by the root of how often that happens.
template <class Attend, class Dropout>
Value layer(StageBuilder& b, const Config& config, Value x, Attend attend, Dropout dropout) {
  const Initialiser inner = normal(config.initializer_range);
  const Initialiser added = normal(config.initializer_range / std::sqrt(2 * static_cast<float>(config.layers)));
  const Value qkv = layers::projection(b, "attn.c_attn", layers::layer_norm(b, "ln_1", x, config.layer_norm_eps),
                                       3 * config.hidden_size, inner);
  const Value projected = layers::projection(b, "attn.c_proj", attend(qkv), config.hidden_size, added);
  const Value h = b.add(dropout(projected), x);

  const Value wide = layers::projection(b, "mlp.c_fc", layers::layer_norm(b, "ln_2", h, config.layer_norm_eps),
                                        config.intermediate_size, inner);
  const Value outer =
      layers::projection(b, "mlp.c_proj", b.gelu(wide, {.kind = GeluKind::tanh}), config.hidden_size, added);
  return b.add(dropout(outer), h);
}

}  // namespace

Stage layer_stage(const Config& config, layers::MicroBatch batch, bool training) {
  Stage stage = empty_layer(config);
  StageBuilder b(stage);
  const float probability = training ? config.dropout_prob : 0;
  const Value x = b.activation_in(activation_spec(config, batch));
  const Value segments = layers::segments_of(b, batch);
  const auto attend = [&](Value qkv) {
    const Value position = b.position();
    const AttentionAttributes attention{.heads = config.heads,
                                        .causal = true,
                                        .longest = config.sequence_length,
                                        .probability = probability,
                                        .site = b.new_site()};
    return b.attention(qkv, segments, position, attention).out;
  };
  const auto dropout = [&](Value value) { return layers::dropout(b, value, probability, segments); };
  b.activation_out(layer(b, config, x, attend, dropout));
  return stage;
}

Stage cached_layer_stage(const Config& config, const GenerationShape& shape) {
  Stage stage = empty_layer(config);
  StageBuilder b(stage);
  const Value x = b.activation_in(new_tokens_spec(config, shape));
  const Value places = batch_places(b, shape), last = batch_last(b, shape);
  const auto attend = [&](Value qkv) {
    const Value before = b.carried_in("keys_values", {DType::f32, {shape.rows, shape.room, 2 * config.hidden_size}});
    const auto [after, out] = b.attention_cached(before, qkv, places, last, {.heads = config.heads});
    b.carried_out("keys_values", after);
    return out;
  };
  b.activation_out(layer(b, config, x, attend, [](Value value) { return value; }));
  return stage;
}

}  // namespace phasor::gpt2
