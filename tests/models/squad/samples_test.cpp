#include "models/squad/samples.h"

#include <gtest/gtest.h>

#include "models/bert/stages.h"
#include "tests/models/squad/letters.h"

namespace phasor::squad {
namespace {

const FeatureSamples kSamples(make_features(test::one_question("a b c d e", "q", {{"b", 2}}),
                                            io::WordPiece(test::letters_vocabulary()),
                                            {.sequence_length = 7, .document_stride = 1, .max_query_length = 1}));

bert::Config model_of(std::int64_t sequence) {
  return {.layers = 1,
          .hidden_size = 4,
          .heads = 1,
          .intermediate_size = 4,
          .sequence_length = sequence,
          .max_positions = sequence,
          .vocab_size = 30};
}

run::BatchTensors tensors_of(std::int64_t samples, std::int64_t sequence) {
  return run::BatchTensors(bert::training_stages(model_of(sequence), samples));
}

template <class T>
std::vector<T> list(std::span<T> values) {
  return {values.begin(), values.end()};
}
using Numbers = std::vector<std::int32_t>;

TEST(FeatureSamples, PadTheChosenFeatures) {
  ASSERT_EQ(kSamples.size(), 2);  // ".q|abc|" and ".q|cde|"
  run::BatchTensors tensors = tensors_of(2, 8);
  kSamples.fill(std::vector<run::Place>{{1, 0.5F, 0, 0, 4}, {0, 0.25F, 1, 0, 5}}, tensors);
  EXPECT_EQ(list(tensors.of<std::int32_t>("input_ids")), (Numbers{2, 20, 3, 6, 7, 8, 3, 0, 2, 20, 3, 4, 5, 6, 3, 0}));
  EXPECT_EQ(list(tensors.of<std::int32_t>("token_type_ids")),
            (Numbers{0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0}));
  EXPECT_EQ(list(tensors.of<std::int32_t>("segments")), (Numbers{0, 7, 4, 0, 7, 5}));
  EXPECT_EQ(list(tensors.of<std::int32_t>("labels")), (Numbers{0, 4, 0, 4}));
  EXPECT_EQ(list(tensors.of<float>("label_weights")), (std::vector<float>{0.5F, 0.25F, 0.5F, 0.25F}));
  EXPECT_EQ(kSamples.labels(0), 2);
}

// Both in the first of two rows.
TEST(FeatureSamples, ShareARow) {
  run::BatchTensors tensors(bert::training_stages(model_of(16), {2, 3}));
  kSamples.fill(std::vector<run::Place>{{1, 0.5F, 0, 0, 3}, {0, 0.25F, 0, 8, -2}}, tensors);
  EXPECT_EQ(list(tensors.of<std::int32_t>("input_ids").first(16)),
            (Numbers{2, 20, 3, 6, 7, 8, 3, 0, 2, 20, 3, 4, 5, 6, 3, 0}));
  EXPECT_EQ(list(tensors.of<std::int32_t>("token_type_ids").first(16)),
            (Numbers{0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0}));
  EXPECT_EQ(list(tensors.of<std::int32_t>("segments")),
            (Numbers{0, 7, 3, 8, 7, -2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(list(tensors.of<std::int32_t>("labels")), (Numbers{0, 4, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0}));
  EXPECT_EQ(list(tensors.of<float>("label_weights")),
            (std::vector<float>{0.5F, 0.25F, 0, 0, 0, 0, 0.5F, 0.25F, 0, 0, 0, 0}));
  EXPECT_EQ(kSamples.tokens(1), 7);
}

TEST(FeatureSamples, PaddingIsWhatTheVocabularyCallsPadding) {
  const FeatureSamples samples(
      make_features(test::one_question("a", "", {}), io::WordPiece({"[UNK]", "[CLS]", "[SEP]", "a", "[PAD]"}), {}));
  run::BatchTensors tensors = tensors_of(1, 6);
  samples.fill(std::vector<run::Place>{{0, 1}}, tensors);
  EXPECT_EQ(list(tensors.of<std::int32_t>("input_ids")), (Numbers{1, 2, 3, 2, 4, 4}));
}

TEST(FeatureSamples, NothingOfTheBatchBeforeIsLeft) {
  run::BatchTensors tensors = tensors_of(1, 9), fresh = tensors_of(1, 9);
  kSamples.fill(std::vector<run::Place>{{0, 1}}, tensors);
  kSamples.fill(std::vector<run::Place>{{1, 1}}, tensors);
  kSamples.fill(std::vector<run::Place>{{1, 1}}, fresh);
  for (const char* name : {"input_ids", "token_type_ids", "segments", "labels"}) {
    EXPECT_EQ(list(tensors.of<std::int32_t>(name)), list(fresh.of<std::int32_t>(name))) << name;
  }
  EXPECT_EQ(list(tensors.of<float>("label_weights")), list(fresh.of<float>("label_weights")));
}

TEST(FeatureSamples, AModelThatPredictsIsGivenNoLabels) {
  run::BatchTensors tensors(bert::inference_stages(model_of(7), 1));
  EXPECT_FALSE(tensors.has("labels"));
  kSamples.fill(std::vector<run::Place>{{1, 0}}, tensors);
  EXPECT_EQ(list(tensors.of<std::int32_t>("input_ids")), (Numbers{2, 20, 3, 6, 7, 8, 3}));
}

TEST(FeatureSamples, ASampleThatIsTooShortIsOurMistake) {
  run::BatchTensors tensors = tensors_of(1, 6);
  EXPECT_THROW(kSamples.fill(std::vector<run::Place>{{0, 1}}, tensors), InternalError);
}

}  // namespace
}  // namespace phasor::squad
