#include "models/convnet/stages.h"

#include "engine/ir/stage_builder.h"
#include "models/layers/conv2d.h"
#include "models/layers/linear.h"

namespace phasor::convnet {

namespace {

Value block(StageBuilder& b, const Config& config, const std::string& name, Value x, std::int64_t channels) {
  return b.relu(b.max_pool2d(layers::conv2d(b, name, x, channels, config.kernel_size)).y);
}

Stage first_block(const Config& config, std::int64_t batch) {
  Stage stage{.name = "block1"};
  StageBuilder b(stage);
  const std::int64_t size = config.image_size;
  const Value images = b.batch("images", {DType::f32, {batch, config.image_channels, size, size}});
  b.activation_out(block(b, config, "conv1", images, config.channels1));
  return stage;
}

// y: the pixels of all channels in a row. [batch, features]
Stage second_block(const Config& config, TensorSpec x_spec) {
  Stage stage{.name = "block2"};
  StageBuilder b(stage);
  const Value y = block(b, config, "conv2", b.activation_in(x_spec), config.channels2);
  const std::int64_t batch = x_spec.shape[0];
  b.activation_out(b.reshape(y, {batch, batch == 0 ? 0 : b.shape(y).elements() / batch}));
  return stage;
}

Stage linear_stage(const Config& config, TensorSpec x_spec) {
  Stage stage{.name = "linear"};
  StageBuilder b(stage);
  b.activation_out(b.relu(layers::uniform_linear(b, "fc1", b.activation_in(x_spec), config.hidden_size)));
  return stage;
}

Stage head_stage(const Config& config, TensorSpec x_spec, bool training) {
  Stage stage{.name = "head"};
  StageBuilder b(stage);
  const std::int64_t batch = x_spec.shape[0];
  const Value logits = layers::uniform_linear(b, "fc2", b.activation_in(x_spec), config.classes);
  if (training) {
    const Value labels = b.batch("labels", {DType::i32, {batch}});
    const Value weights = b.batch("label_weights", {DType::f32, {batch}});
    b.loss(b.cross_entropy(logits, labels, weights));
  } else {
    b.result("logits", logits);
  }
  return stage;
}

TensorSpec y_spec(const Stage& stage) { return stage.graph.spec(stage.y); }

Stages make_stages(const Config& config, std::int64_t batch, bool training) {
  validate(config);
  Stages stages{first_block(config, batch)};
  stages.push_back(second_block(config, y_spec(stages[0])));
  stages.push_back(linear_stage(config, y_spec(stages[1])));
  stages.push_back(head_stage(config, y_spec(stages[2]), training));
  return stages;
}

}  // namespace

Stages training_stages(const Config& config, layers::MicroBatch batch, std::int64_t) {
  return make_stages(config, batch.rows, true);
}

Stages inference_stages(const Config& config, layers::MicroBatch batch, std::int64_t) {
  return make_stages(config, batch.rows, false);
}

}  // namespace phasor::convnet
