#include "models/text/samples.h"

#include <gtest/gtest.h>
#include <set>

#include "engine/ir/stage_builder.h"
#include "models/batches/data_order.h"
#include "models/batches/packing.h"
#include "models/text/held_out.h"
#include "tests/models/text/small_streams.h"
#include "tests/support/message.h"

namespace phasor::text {
namespace {

using namespace phasor::test;
using Numbers = std::vector<std::int32_t>;
using Weights = std::vector<float>;

// What a decoder asks for: rows of `sequence` tokens, of so many samples at most.
run::BatchTensors decoder_tensors(std::int64_t rows, std::int64_t sequence, std::int64_t samples, bool training) {
  Stage stage{.name = "decoder"};
  StageBuilder b(stage);
  b.batch("input_ids", {DType::i32, {rows, sequence}});
  b.batch("segments", {DType::i32, {rows, samples, 3}});
  if (training) {
    b.batch("labels", {DType::i32, {rows, sequence}});
    b.batch("label_weights", {DType::f32, {rows, sequence}});
  }
  return run::BatchTensors({stage});
}

template <class T>
std::vector<T> list(const run::BatchTensors& tensors, const char* name) {
  const std::span<T> values = tensors.of<T>(name);
  return {values.begin(), values.end()};
}

TEST(TextSamples, LabelsAreTheTokensBehind) {
  const TextSamples samples(counted({6, 3}), {.sequence = 4});
  ASSERT_EQ(samples.size(), 3);  // 0 to 3, 4, and 6 to 7
  EXPECT_EQ(samples.tokens(0), 4);
  EXPECT_EQ(samples.labels(1), 1);
  run::BatchTensors tensors = decoder_tensors(2, 4, 2, true);
  const std::vector<run::Place> places = {{2, 0.5F, 0, 0, 7}, {1, 0.25F, 0, 2, 8}, {0, 0.125F, 1, 0, 9}};
  for (int twice = 0; twice < 2; ++twice) {
    samples.fill(places, tensors);
    EXPECT_EQ(list<std::int32_t>(tensors, "input_ids"), (Numbers{6, 7, 4, 0, 0, 1, 2, 3}));
    EXPECT_EQ(list<std::int32_t>(tensors, "labels"), (Numbers{7, 8, 5, 0, 1, 2, 3, 4}));
    EXPECT_EQ(list<float>(tensors, "label_weights"), (Weights{.5F, .5F, .25F, 0, .125F, .125F, .125F, .125F}));
    EXPECT_EQ(list<std::int32_t>(tensors, "segments"), (Numbers{0, 2, 7, 2, 1, 8, 0, 4, 9, 0, 0, 0}));
    samples.fill(std::vector<run::Place>{{0, 1, 0}, {0, 1, 1}}, tensors);  // nothing of it stays
  }
}

TEST(TextSamples, OnlyWhatAWindowScoresHasWeight) {
  const TextSamples samples(counted({7}), {.sequence = 4, .stride = 2});
  ASSERT_EQ(samples.size(), 3);
  EXPECT_EQ(samples.labels(0), 3);
  EXPECT_EQ(samples.labels(1), 2);
  EXPECT_EQ(samples.tokens(1), 3);
  run::BatchTensors tensors = decoder_tensors(3, 4, 1, true);
  samples.fill(std::vector<run::Place>{{0, 1, 0}, {1, 1, 1}, {2, 1, 2}}, tensors);
  EXPECT_EQ(list<std::int32_t>(tensors, "input_ids"), (Numbers{0, 1, 2, 0, 2, 3, 4, 0, 4, 5, 0, 0}));
  EXPECT_EQ(list<std::int32_t>(tensors, "labels"), (Numbers{1, 2, 3, 0, 3, 4, 5, 0, 5, 6, 0, 0}));
  EXPECT_EQ(list<float>(tensors, "label_weights"), (Weights{1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0}));
}

TEST(TextSamples, AModelThatPredictsIsGivenNoLabels) {
  run::BatchTensors tensors = decoder_tensors(1, 4, 1, false);
  TextSamples(counted({4}), {.sequence = 4}).fill(std::vector<run::Place>{{0, 1, 0}}, tensors);
  EXPECT_EQ(list<std::int32_t>(tensors, "input_ids"), (Numbers{0, 1, 2, 0}));
}

TEST(TextSamples, TextWithoutALabelIsRefused) {
  const auto refusal = [](const Ids& lengths, Documents documents) {
    return message_of([&] { TextSamples(counted(lengths), {.sequence = 4, .documents = documents}); });
  };
  EXPECT_EQ(refusal({1, 1}, Documents::separate),
            "text: none of 2 documents has two tokens, a token to read and one to predict");
  EXPECT_EQ(refusal({1, 1}, Documents::joined), "no error");
}

// Steps of 5 samples in rows of 16 tokens, as training takes them; what stands in a row is checked by its weights.
std::multiset<std::int32_t> labels_of_epoch(const TextSamples& samples, std::int64_t epoch) {
  constexpr run::RowRoom kRoom{.tokens = 16, .samples = 4};
  run::DataOrder order(7, samples.size());
  std::multiset<std::int32_t> labels;
  for (std::int64_t position = epoch * samples.size(), taken = 0; position < (epoch + 1) * samples.size();
       position += taken) {
    taken = order.samples_of_step(position, 5);
    std::vector<std::int64_t> chosen;
    for (std::int64_t i = 0; i < taken; ++i) chosen.push_back(order.sample_at(position + i));
    std::vector<run::Place> places = run::place_in_rows(samples, chosen, kRoom);
    for (run::Place& place : places) place.label_weight = 1;
    run::BatchTensors tensors = decoder_tensors(run::rows_of(places), kRoom.tokens, kRoom.samples, true);
    samples.fill(places, tensors);
    for (std::size_t i = 0; i < tensors.of<float>("label_weights").size(); ++i) {
      if (tensors.of<float>("label_weights")[i] == 0) continue;
      labels.insert(tensors.of<std::int32_t>("labels")[i]);
      EXPECT_EQ(tensors.of<std::int32_t>("input_ids")[i] + 1, tensors.of<std::int32_t>("labels")[i]);
    }
  }
  return labels;
}

TEST(TextSamples, AnEpochHasEveryTokenOnceAndOnlyTheOrderChanges) {
  const Ids lengths = {3, 40, 1, 16, 17, 18, 2, 5, 33};
  const TokenStream stream = counted(lengths);
  for (const Documents documents : {Documents::separate, Documents::joined}) {
    std::multiset<std::int32_t> expected;
    for (std::int32_t token = 0; token < stream.size(); ++token) expected.insert(token);
    expected.erase(0);
    if (documents == Documents::separate) {
      for (const std::int64_t end : stream.document_ends()) expected.erase(static_cast<std::int32_t>(end));
    }
    const TextSamples samples(stream, {.sequence = 16, .documents = documents});
    for (const std::int64_t epoch : {0, 1, 5}) EXPECT_EQ(labels_of_epoch(samples, epoch), expected);
  }
}

// Who goes on at a position in the middle of a file takes the samples that a straight run takes there.
TEST(TextSamples, APositionHasTheSameSamplesInAnyRun) {
  const TextSamples straight(counted({40, 100, 7, 300}), {.sequence = 8});
  const TextSamples again(counted({40, 100, 7, 300}), {.sequence = 8});
  EXPECT_EQ(straight.fingerprint(), again.fingerprint());
  run::DataOrder order(3, straight.size());
  std::vector<std::int64_t> passed;
  for (std::int64_t position = 0; position < 3 * straight.size(); ++position)
    passed.push_back(order.sample_at(position));
  run::DataOrder resumed(3, again.size());
  run::BatchTensors tensors = decoder_tensors(1, 8, 1, true), same = decoder_tensors(1, 8, 1, true);
  for (std::int64_t position = straight.size() + 11; position < 3 * straight.size(); position += 7) {
    const std::int64_t sample = resumed.sample_at(position);
    ASSERT_EQ(sample, passed[static_cast<std::size_t>(position)]);
    straight.fill(std::vector<run::Place>{{sample, 1, 0}}, tensors);
    again.fill(std::vector<run::Place>{{sample, 1, 0}}, same);
    EXPECT_EQ(list<std::int32_t>(tensors, "input_ids"), list<std::int32_t>(same, "input_ids"));
    EXPECT_EQ(list<float>(tensors, "label_weights"), list<float>(same, "label_weights"));
  }
}

TEST(TextSamples, WhatTrainingTakesShowsInTheFingerprint) {
  std::set<std::string> seen;
  const auto expect_new = [&](const TokenStream& stream, const WindowSettings& settings) {
    EXPECT_TRUE(seen.insert(TextSamples(stream, settings).fingerprint()).second) << seen.size();
  };
  expect_new(counted({9, 8}), {.sequence = 4});
  expect_new(counted({8, 9}), {.sequence = 4});
  expect_new(counted({9, 8}), {.sequence = 5});
  expect_new(counted({9, 8}), {.sequence = 4, .documents = Documents::joined});
  expect_new(counted({9, 8}), {.sequence = 4, .stride = 3});
  expect_new(counted({18}).part(1, 18), {.sequence = 4, .documents = Documents::joined});
  // Of joined documents borders do not count; nor does the type that tokens are stored in.
  EXPECT_EQ(TextSamples(counted({8, 9}), {.sequence = 4, .documents = Documents::joined}).fingerprint(),
            TextSamples(counted({17}), {.sequence = 4}).fingerprint());
  TokenStream narrow;
  narrow.add(tokens_of<std::uint8_t>(io::TokenType::u8, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {9}));
  EXPECT_EQ(TextSamples(narrow, {.sequence = 4}).fingerprint(),
            TextSamples(counted({9}), {.sequence = 4}).fingerprint());
}

}  // namespace
}  // namespace phasor::text
