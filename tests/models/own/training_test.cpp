// A model of one's own keeps the promises that the models of the program keep.
#include "models/own/training.h"

#include <gtest/gtest.h>
#include <limits>

#include "engine/base/random.h"
#include "engine/ir/stage_builder.h"
#include "models/layers/linear.h"
#include "tests/support/temporary_folder.h"

namespace phasor::own {
namespace {
namespace own_test {

constexpr std::int64_t kRows = 4, kTogether = 16;

Stages make_model(std::int64_t rows, bool training) {
  Stage first{.name = "first", .prefix = "first."}, head{.name = "head", .prefix = "head."};
  StageBuilder a(first), b(head);
  const Value ids = a.batch("ids", {DType::i32, {rows}});
  const Value table = a.variable("table", {8, 6}, {.kind = Initialiser::Kind::normal, .deviation = 0.5f}, true);
  a.activation_out(a.relu(layers::uniform_linear(a, "fc", a.embedding(table, ids, {.entries = 8}), 12)));
  const Value logits = layers::uniform_linear(b, "fc", b.activation_in(a.spec(first.y)), 3);
  if (training) {
    const Value labels = b.batch("labels", {DType::i32, {rows}});
    b.loss(b.cross_entropy(logits, labels, b.batch("label_weights", {DType::f32, {rows}})));
  } else {
    b.result("logits", logits);
  }
  return {first, head};
}

struct Data {
  explicit Data(int step) {
    for (std::int64_t i = 0; i < kTogether; ++i) {
      ids[static_cast<std::size_t>(i)] = static_cast<std::int32_t>((i * 5 + step) % 8);
      labels[static_cast<std::size_t>(i)] = ids[static_cast<std::size_t>(i)] % 3;
    }
  }
  Batch batch() {
    return {{"ids", {{DType::i32, {kTogether}}, ids.data()}}, {"labels", {{DType::i32, {kTogether}}, labels.data()}}};
  }
  std::vector<std::int32_t> ids = std::vector<std::int32_t>(kTogether), labels = ids;
};

Settings settings(Settings more = {}) {
  more.merge(Settings{{"training.steps", "40"},
                      {"training.global_batch_size", "16"},
                      {"training.optimizer.learning_rate.maximum", "0.05"}});
  return more;
}

struct Outcome {
  std::vector<double> losses;
  std::vector<std::vector<float>> weights;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome run(Training& training, int first, int end) {
  Outcome outcome;
  for (int step = first; step < end; ++step) outcome.losses.push_back(training.step(Data(step).batch()));
  for (const CanonicalTensor& tensor : training.tensors()) outcome.weights.push_back(training.read(tensor));
  return outcome;
}

Outcome run(const Settings& more) {
  Training training(make_model(kRows, true), settings(more));
  const Outcome outcome = run(training, 0, 40);
  EXPECT_EQ(training.measured_peak_bytes(), training.plan().peak_bytes);
  return outcome;
}

TEST(OwnModel, LearnsAndNeitherPhasesNorReplicasShow) {
  const Outcome phased = run({{"execution.reproducible", "true"}});
  EXPECT_LT(phased.losses.back(), 0.5 * phased.losses.front());
  EXPECT_TRUE(run({{"execution.reproducible", "true"}, {"execution.mode", "monolithic"}}) == phased);
  const Outcome replicas = run({{"execution.reproducible", "true"}, {"execution.data_parallel", "2"}});
  EXPECT_TRUE(replicas.weights == phased.weights);
}

TEST(OwnModel, GoesOnFromACheckpoint) {
  const test::TemporaryFolder folder;
  Training straight(make_model(kRows, true), settings()), first(make_model(kRows, true), settings()),
      second(make_model(kRows, true), settings());
  const Outcome whole = run(straight, 0, 10);
  run(first, 0, 6);
  first.save(folder.file("half.h5"));
  second.load(folder.file("half.h5"));
  EXPECT_EQ(second.steps(), 6);
  EXPECT_TRUE(run(second, 6, 10).weights == whole.weights);
}

TEST(OwnModel, PredictsWithTheWeightsAsTheyAre) {
  Training training(make_model(kRows, true), settings());
  run(training, 0, 40);
  Data data(3);
  Batch batch = data.batch();
  batch.erase("labels");
  const std::vector<float> logits = training.predict(make_model(kRows, false), batch).at("logits");
  ASSERT_EQ(logits.size(), static_cast<std::size_t>(3 * kTogether));
  int right = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(kTogether); ++i) {
    const float* of = logits.data() + 3 * i;
    right += std::max_element(of, of + 3) - of == data.labels[i];
  }
  EXPECT_EQ(right, kTogether);
}

// Each of two devices has a stage; the last of the batch's runs has fewer micro-batches.
TEST(OwnModel, PredictsOverDevices) {
  std::vector<std::vector<float>> logits;
  for (const Settings& more : {Settings{}, Settings{{"execution.pipeline.devices", "2"}},
                               Settings{{"execution.pipeline.devices", "2"}, {"execution.mode", "monolithic"}}}) {
    Training training(make_model(2, true), settings(more));
    run(training, 0, 5);
    Data data(3);
    Batch batch = data.batch();
    batch.erase("labels");
    batch["ids"].spec.shape = {kTogether - 3};
    logits.push_back(training.predict(make_model(1, false), batch).at("logits"));
  }
  EXPECT_EQ(logits[1], logits[0]);
  EXPECT_EQ(logits[2], logits[0]);
}

// Copies fill the last micro-batch, and nothing of them shows.
TEST(OwnModel, PredictsAnyNumberOfSamples) {
  Training training(make_model(kRows, true), settings());
  run(training, 0, 5);
  Data data(3);
  Batch batch = data.batch();
  batch.erase("labels");
  const Stages stages = make_model(kRows, false);
  const std::vector<float> all = training.predict(stages, batch).at("logits");
  for (const std::int64_t samples : {1, 3, 4, 5, 11}) {
    batch["ids"].spec.shape = {samples};
    const std::vector<float> some = training.predict(stages, batch).at("logits");
    EXPECT_TRUE(std::ranges::equal(some, std::span(all).first(static_cast<std::size_t>(3 * samples)))) << samples;
  }
  Stages sums = make_model(kRows, false);
  StageBuilder builder(sums[1]);
  builder.result("bias", builder.reduce_sum(sums[1].results[0].value, {3}));
  EXPECT_THROW(training.predict(sums, batch), UserError);
}

std::string error_of(Training& training, const Batch& batch) {
  try {
    training.step(batch);
  } catch (const UserError& mistake) {
    return mistake.what();
  }
  return "";
}

TEST(OwnModel, MistakesInABatchAreTold) {
  Training training(make_model(kRows, true), settings());
  Data data(0);
  std::vector<float> floats(kTogether);
  Batch batch = data.batch();
  batch["more"] = batch["ids"];
  EXPECT_EQ(error_of(training, batch), "batch: 'more' is not what the model reads: ids, labels");
  batch = data.batch();
  batch.erase("ids");
  EXPECT_EQ(error_of(training, batch), "batch: 'ids' is missing; the model reads ids, labels");
  batch = data.batch();
  batch["ids"] = {{DType::f32, {kTogether}}, floats.data()};
  EXPECT_EQ(error_of(training, batch), "batch: 'ids' is f32, the model asks for i32");
  batch["ids"] = {{DType::i32, {kTogether, 1}}, data.ids.data()};
  EXPECT_EQ(error_of(training, batch), "batch: 'ids' is i32[16, 1], the model asks for i32[4] a micro-batch");
  batch["ids"] = {{DType::i32, {8}}, data.ids.data()};
  EXPECT_EQ(error_of(training, batch), "batch: 'labels' has 16 samples, another array 8");
  batch = data.batch();
  data.labels[5] = 3;
  EXPECT_EQ(error_of(training, batch), "batch: 'labels' has 3, expected 0 to 2");
  data.labels[5] = 0;
  data.ids[2] = -1;
  EXPECT_EQ(error_of(training, batch), "batch: 'ids' has -1, expected 0 to 7");
  data.ids[2] = 1;
  floats[6] = std::numeric_limits<float>::quiet_NaN();
  batch["label_weights"] = {{DType::f32, {kTogether}}, floats.data()};
  EXPECT_EQ(error_of(training, batch), "batch: 'label_weights' has nan at element 6, expected finite numbers");
  EXPECT_EQ(training.steps(), 0);
}

TEST(OwnModel, KeysThatAreNoneAreTold) {
  const auto told = [](const std::string& key) -> std::string {
    try {
      Training(make_model(kRows, true), settings({{key, "2"}}));
    } catch (const UserError& mistake) {
      return mistake.what();
    }
    return "";
  };
  EXPECT_EQ(told("traning.stepz"), "unknown key 'traning.stepz'. Did you mean 'training.steps'?");
  EXPECT_TRUE(told("model.layers").starts_with("'model.layers' says nothing of a model of one's own"));
  EXPECT_FALSE(told(std::string(1000, 'x')).empty());
}

TEST(OwnModel, WhatDoesNotFitIsRefused) {
  try {
    Training(make_model(kRows, true), settings({{"execution.device_memory", "1KiB"}}));
    FAIL();
  } catch (const UserError& mistake) {
    EXPECT_NE(std::string(mistake.what()).find("execution.device_memory"), std::string::npos);
  }
  EXPECT_THROW(Training(make_model(kRows, true), settings({{"model.layers", "2"}})), UserError);
  EXPECT_THROW(Training(make_model(kRows, true), {}), UserError);  // no training.steps
}

}  // namespace own_test
}  // namespace
}  // namespace phasor::own
