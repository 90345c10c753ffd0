// A model whose layers do nothing but drop, so that gradients show what each of them dropped.
#pragma once

#include "engine/ir/stage_builder.h"

namespace phasor::test {

inline constexpr std::int64_t kDrawnWidth = 64, kDrawnClasses = 4;
inline constexpr int kDrawingLayers = 2;

// y = features + offset
inline Stage features_stage() {
  Stage stage{.name = "features"};
  StageBuilder b(stage);
  const Value features = b.batch("features", {DType::f32, {1, kDrawnWidth}});
  b.activation_out(b.add(features, b.variable("offset", {kDrawnWidth}, {.kind = Initialiser::Kind::zeros}, false)));
  return stage;
}

// y = dropout(x + offset), for each layer alike
inline Stage dropping_stage() {
  Stage stage{.name = "layer", .instances = kDrawingLayers, .prefix = "layer.{}."};
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {1, kDrawnWidth}});
  const Value offset = b.variable("offset", {kDrawnWidth}, {.kind = Initialiser::Kind::zeros}, false);
  const Value position = b.position();
  b.activation_out(b.dropout(b.add(x, offset), position, {.probability = 0.5f, .site = b.new_site()}));
  return stage;
}

// loss = cross-entropy of x weight
inline Stage classes_stage() {
  Stage stage{.name = "classes"};
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {1, kDrawnWidth}});
  const Value weight = b.variable("weight", {kDrawnWidth, kDrawnClasses},
                                  {.kind = Initialiser::Kind::truncated_normal, .deviation = 1}, true);
  const Value labels = b.batch("labels", {DType::i32, {1}});
  b.loss(b.cross_entropy(b.matmul(x, weight), labels, b.batch("label_weights", {DType::f32, {1}})));
  return stage;
}

inline Stages drawing_model() { return {features_stage(), dropping_stage(), classes_stage()}; }

}  // namespace phasor::test
