// A model of two stages, small enough to write down what becomes of it.
#pragma once

#include "engine/ir/stage_builder.h"

namespace phasor::test {

inline constexpr std::int64_t kToySamples = 2, kToyFeatures = 3, kToyHidden = 6, kToyClasses = 4;

// y = dropout(gelu(features weight))
inline Stage toy_body(float probability = 0.5f, std::int64_t samples = kToySamples) {
  Stage stage;
  stage.name = "body";
  stage.prefix = "toy.body.{}.";
  StageBuilder b(stage);
  const Value features = b.batch("features", {DType::f32, {samples, kToyFeatures}});
  const Value weight = b.variable("weight", {kToyFeatures, kToyHidden}, {.kind = Initialiser::Kind::ones}, true);
  const Value position = b.position();
  b.activation_out(b.dropout(b.gelu(b.matmul(features, weight)), position, {.probability = probability, .site = 0}));
  return stage;
}

// loss = cross-entropy of x weight + bias. The weight is two tensors, stacked: `upper` and `lower`.
inline Stage toy_head(std::int64_t samples = kToySamples) {
  Stage stage;
  stage.name = "head";
  stage.prefix = "toy.head.";
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {samples, kToyHidden}});
  const Value weight = b.variable("weight", {kToyHidden, kToyClasses},
                                  {.kind = Initialiser::Kind::truncated_normal, .deviation = 1}, true);
  stage.variables.back().parts = {"upper.weight", "lower.weight"};
  const Value bias = b.variable("bias", {kToyClasses}, {.kind = Initialiser::Kind::zeros}, false);
  const Value labels = b.batch("labels", {DType::i32, {samples}});
  const Value label_weights = b.batch("label_weights", {DType::f32, {samples}});
  const Value logits = b.add(b.matmul(x, weight), bias);
  b.result("logits", logits);
  b.loss(b.cross_entropy(logits, labels, label_weights));
  return stage;
}

inline Stages toy_model(std::int64_t samples = kToySamples) { return {toy_body(0.5f, samples), toy_head(samples)}; }

}  // namespace phasor::test
