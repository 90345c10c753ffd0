// The inputs of bench step are those that scripts/compare/bench_pytorch.py makes.
#include "bench/synthetic_samples.h"

#include <gtest/gtest.h>
#include <set>

#include "models/bert/stages.h"
#include "models/gpt2/stages.h"
#include "tests/support/whole_rows.h"

namespace phasor::bench {
namespace {

const bert::Config kConfig{.layers = 1,
                           .hidden_size = 4,
                           .heads = 1,
                           .intermediate_size = 4,
                           .sequence_length = 16,
                           .max_positions = 16,
                           .vocab_size = 100};

// What a micro-batch of those samples holds.
class Batch {
 public:
  Batch(std::int64_t first_sample, std::int64_t samples, std::int64_t slices = 1)
      : stages_(bert::training_stages(kConfig, samples, slices)) {
    std::vector<run::Place> places;
    for (std::int64_t i = 0; i < samples; ++i) {
      places.push_back({.sample = first_sample + i, .label_weight = 0.25f, .row = i, .number = i});
    }
    SyntheticSamples(stages_, samples).fill(places, tensors_);
  }

  template <class T>
  std::vector<T> of(const std::string& name) const {
    const std::span<T> values = tensors_.of<T>(name);
    return {values.begin(), values.end()};
  }

 private:
  Stages stages_;
  run::BatchTensors tensors_{stages_};
};

using Numbers = std::vector<std::int32_t>;

// By the rule in synthetic_samples.h, computed in Python.
TEST(SyntheticSamples, FollowTheRule) {
  EXPECT_EQ(draw(0), 0u);
  EXPECT_EQ(draw(1), 16294208416658607535u);
  for (const std::int64_t slices : {1, 3}) {
    const Batch batch(2, 2, slices);
    EXPECT_EQ(batch.of<std::int32_t>("input_ids"),
              (Numbers{39, 79, 52, 11, 95, 87, 79, 12, 61, 43, 22, 42, 49, 94, 65, 8,
                       91, 91, 47, 39, 98, 4,  46, 37, 69, 79, 59, 28, 86, 13, 34, 98}));
    EXPECT_EQ(batch.of<std::int32_t>("labels"), (Numbers{5, 15, 0, 2}));
    const Numbers types = batch.of<std::int32_t>("token_type_ids");
    for (std::uint64_t i = 0; i < 32; ++i) EXPECT_EQ(types[i], static_cast<std::int32_t>(draw(32 + i) % 2)) << i;
  }
}

TEST(SyntheticSamples, DoNotDependOnHowTheyAreBatched) {
  const Numbers all = Batch(6, 4).of<std::int32_t>("input_ids"), labels = Batch(6, 4).of<std::int32_t>("labels");
  const Batch part(8, 2);
  EXPECT_EQ(Numbers(all.begin() + 32, all.end()), part.of<std::int32_t>("input_ids"));
  EXPECT_EQ((Numbers{labels[2], labels[3], labels[6], labels[7]}), part.of<std::int32_t>("labels"));
}

TEST(SyntheticSamples, AreInRangeAndOfFullLength) {
  const Batch batch(0, 50);
  EXPECT_EQ(batch.of<std::int32_t>("segments"), test::whole_rows(std::vector<std::int64_t>(50, 16)));
  EXPECT_EQ(batch.of<float>("label_weights"), std::vector<float>(100, 0.25f));
  const Numbers ids = batch.of<std::int32_t>("input_ids"), labels = batch.of<std::int32_t>("labels");
  const std::set<std::int32_t> tokens(ids.begin(), ids.end()), places(labels.begin(), labels.end());
  EXPECT_EQ(*tokens.begin(), 1);  // never the padding
  EXPECT_EQ(*tokens.rbegin(), 99);
  EXPECT_EQ(places.size(), 16u);
  EXPECT_EQ(*places.rbegin(), 15);
}

// Where rows have room for more samples, it stays empty.
TEST(SyntheticSamples, HaveARowToThemselves) {
  const layers::MicroBatch packed(2, 3);
  const Stages stages = bert::training_stages(kConfig, packed);
  run::BatchTensors tensors(stages);
  const SyntheticSamples samples(stages, packed);
  samples.fill(std::vector<run::Place>{{2, 0.25f, 0, 0, 2}, {3, 0.25f, 1, 0, 3}}, tensors);
  const std::span<std::int32_t> labels = tensors.of<std::int32_t>("labels"),
                                segments = tensors.of<std::int32_t>("segments");
  EXPECT_EQ(Numbers(labels.begin(), labels.end()), (Numbers{5, 0, 0, 15, 0, 0, 0, 0, 0, 2, 0, 0}));
  EXPECT_EQ(Numbers(segments.begin(), segments.end()),
            (Numbers{0, 16, 2, 0, 0, 0, 0, 0, 0, 0, 16, 3, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(samples.labels(7), 2);
}

// Packed ones stand one behind the other.
TEST(SyntheticSamples, FillARowOfSeveral) {
  const layers::MicroBatch packed(1, 3, 2);
  const Stages stages = bert::training_stages(kConfig, packed);
  run::BatchTensors tensors(stages);
  const SyntheticSamples samples(stages, packed);
  samples.fill(std::vector<run::Place>{{2, 0.25f, 0, 0, 2}, {3, 0.25f, 0, 16, 3}}, tensors);
  const auto numbers = [&](const char* name) {
    const std::span<std::int32_t> values = tensors.of<std::int32_t>(name);
    return Numbers(values.begin(), values.end());
  };
  EXPECT_EQ(numbers("input_ids"), Batch(2, 2).of<std::int32_t>("input_ids"));
  EXPECT_EQ(numbers("labels"), (Numbers{5, 15, 0, 0, 2, 0}));
  EXPECT_EQ(numbers("segments"), (Numbers{0, 16, 2, 16, 16, 3, 0, 0, 0}));
  EXPECT_EQ(samples.tokens_of_sample(), 16);
  EXPECT_EQ(samples.labels(7), 2);
}

TEST(SyntheticSamples, HaveTheLabelsOfTheModel) {
  EXPECT_EQ(SyntheticSamples(bert::training_stages(kConfig, 3), 3).labels(7), 2);
  EXPECT_EQ(SyntheticSamples(bert::inference_stages(kConfig, 3), 3).labels(7), 0);
  EXPECT_EQ(SyntheticSamples(bert::training_stages(kConfig, 3), 3).tokens_of_sample(), 16);
}

// Of a language model: a label and its weight for every token, whole or in slices.
TEST(SyntheticSamples, HaveTheLabelsOfTokens) {
  const gpt2::Config config{.sequence_length = 9, .vocab_size = 700};
  for (const std::int64_t slices : {1, 2}) {
    const layers::MicroBatch packed(2, 3);
    const Stages stages = gpt2::training_stages(config, packed, slices);
    run::BatchTensors tensors(stages);
    const SyntheticSamples samples(stages, packed);
    samples.fill(std::vector<run::Place>{{2, 0.25f, 0, 0, 2}, {3, 0.25f, 1, 0, 3}}, tensors);
    EXPECT_EQ(samples.labels(7), 9);
    EXPECT_EQ(samples.tokens_of_sample(), 9);
    const std::span<std::int32_t> labels = tensors.of<std::int32_t>("labels");
    const std::span<float> weights = tensors.of<float>("label_weights");
    ASSERT_EQ(labels.size(), 18U);
    for (std::uint64_t i = 0; i < labels.size(); ++i) {
      EXPECT_EQ(labels[i], static_cast<std::int32_t>(draw((1ULL << 32) + 18 + i) % 700)) << i;
      EXPECT_EQ(weights[i], 0.25f) << i;
    }
  }
}

}  // namespace
}  // namespace phasor::bench
