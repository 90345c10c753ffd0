#include <cmath>

#include "models/gpt2/stage_parts.h"
#include "models/layers/dropout.h"
#include "models/layers/linear.h"
#include "models/layers/norm.h"
#include "models/layers/segments.h"

namespace phasor::gpt2 {

namespace {
Initialiser normal(float deviation) { return {.kind = Initialiser::Kind::normal, .deviation = deviation}; }
}  // namespace

// h = x + dropout(W_o attention(layer_norm(x) W_qkv));  y = h + dropout(W_2 gelu(W_1 layer_norm(h)))
// What is added to x begins smaller by the root of how often that happens.
Stage layer_stage(const Config& config, layers::MicroBatch batch, bool training) {
  Stage stage{.name = "layer", .instances = config.layers, .prefix = std::string(kPrefix) + "h.{}."};
  StageBuilder b(stage);
  const float dropout = training ? config.dropout_prob : 0;
  const Initialiser inner = normal(config.initializer_range);
  const Initialiser added = normal(config.initializer_range / std::sqrt(2 * static_cast<float>(config.layers)));
  const Value x = b.activation_in(activation_spec(config, batch));
  const Value segments = layers::segments_of(b, batch);

  const Value qkv = layers::projection(b, "attn.c_attn", layers::layer_norm(b, "ln_1", x, config.layer_norm_eps),
                                       3 * config.hidden_size, inner);
  const Value position = b.position();
  const AttentionAttributes attention{
      .heads = config.heads, .causal = true, .probability = dropout, .site = b.new_site()};
  const Value attended = b.attention(qkv, segments, position, attention).out;  // [rows, sequence, hidden]
  const Value projected = layers::projection(b, "attn.c_proj", attended, config.hidden_size, added);
  const Value h = b.add(layers::dropout(b, projected, dropout, segments), x);

  const Value wide = layers::projection(b, "mlp.c_fc", layers::layer_norm(b, "ln_2", h, config.layer_norm_eps),
                                        config.intermediate_size, inner);
  const Value outer =
      layers::projection(b, "mlp.c_proj", b.gelu(wide, {.kind = GeluKind::tanh}), config.hidden_size, added);
  b.activation_out(b.add(layers::dropout(b, outer, dropout, segments), h));
  return stage;
}

}  // namespace phasor::gpt2
