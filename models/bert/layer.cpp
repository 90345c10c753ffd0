#include "engine/ir/stage_builder.h"
#include "models/bert/stage_parts.h"
#include "models/layers/dropout.h"
#include "models/layers/linear.h"
#include "models/layers/norm.h"
#include "models/layers/segments.h"

namespace phasor::bert {

// h = layer_norm(x + dropout(W_o attention(x W_qkv)));  y = layer_norm(h + dropout(W_2 gelu(W_1 h)))
Stage layer_stage(const Config& config, layers::MicroBatch batch, bool training) {
  Stage stage{.name = "layer", .instances = config.layers, .prefix = "bert.encoder.layer.{}."};
  StageBuilder b(stage);
  const float dropout = training ? config.dropout_prob : 0;
  const float deviation = config.initializer_range;
  const Value x = b.activation_in(activation_spec(config, batch));
  const Value segments = layers::segments_of(b, batch);

  const Value qkv = layers::linear(b, "attention.self.qkv", x, 3 * config.hidden_size, deviation);
  for (Variable& variable : stage.variables) {  // so far the weight and the bias of qkv
    const std::string kind = variable.name.substr(variable.name.rfind('.'));
    for (const char* part : {"query", "key", "value"}) variable.parts.push_back("attention.self." + (part + kind));
  }
  const Value position = b.position();
  const Value attended =
      b.attention(
           qkv, segments, position,
           {.heads = config.heads, .longest = config.sequence_length, .probability = dropout, .site = b.new_site()})
          .out;  // [rows, sequence, hidden]
  const Value projected = layers::linear(b, "attention.output.dense", attended, config.hidden_size, deviation);
  const Value h = layers::layer_norm(b, "attention.output.LayerNorm",
                                     b.add(layers::dropout(b, projected, dropout, segments), x), config.layer_norm_eps);

  const Value inner = layers::linear(b, "intermediate.dense", h, config.intermediate_size, deviation);
  const Value outer = layers::linear(b, "output.dense", b.gelu(inner), config.hidden_size, deviation);
  b.activation_out(layers::layer_norm(b, "output.LayerNorm", b.add(layers::dropout(b, outer, dropout, segments), h),
                                      config.layer_norm_eps));
  return stage;
}

}  // namespace phasor::bert
