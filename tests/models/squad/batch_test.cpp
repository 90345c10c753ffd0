#include "models/squad/batch.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "models/bert/stages.h"
#include "tests/models/checkpoint/letters.h"

namespace phasor::run {
namespace {

const SquadFeatures kFeatures =
    make_squad_features(test::one_question("a b c d e", "q", {{"b", 2}}), io::WordPiece(test::letters_vocabulary()),
                        {.sequence_length = 7, .document_stride = 1, .max_query_length = 1});

TEST(SquadBatchTest, PadsTheChosenFeatures) {
  ASSERT_EQ(kFeatures.size(), 2);  // ".q|abc|" and ".q|cde|"
  DenseBatch batch;
  batch.fill(kFeatures, std::vector<std::int64_t>{1, 0}, 8, 0.5F);
  EXPECT_EQ(batch.input_ids, (std::vector<std::int32_t>{2, 20, 3, 6, 7, 8, 3, 0, 2, 20, 3, 4, 5, 6, 3, 0}));
  EXPECT_EQ(batch.token_type_ids, (std::vector<std::int32_t>{0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0}));
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(batch.mask[i], i % 8 == 7 ? bert::kMasked : 0) << i;
  EXPECT_EQ(batch.labels, (std::vector<std::int32_t>{0, 4, 0, 4}));
  EXPECT_EQ(batch.label_weights, (std::vector<float>{0.5F, 0.5F, 0.5F, 0.5F}));
}

// What fills its place is a sample like the others, whose labels do not count.
TEST(SquadBatchTest, CountsTheFirstSamples) {
  DenseBatch batch, all;
  all.fill(kFeatures, std::vector<std::int64_t>{1, 0, 0}, 8, 0.5F);
  for (const std::int64_t counted : {0, 1, 2}) {
    batch.fill(kFeatures, std::vector<std::int64_t>{1, 0, 0}, 8, 0.5F, counted);
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(batch.label_weights[i], static_cast<std::int64_t>(i) % 3 < counted ? 0.5F : 0) << counted;
    }
    EXPECT_EQ(batch.input_ids, all.input_ids);
    EXPECT_EQ(batch.mask, all.mask);
    EXPECT_EQ(batch.labels, all.labels);
  }
}

TEST(SquadBatchTest, PaddingIsWhatTheVocabularyCallsPadding) {
  const SquadFeatures features = make_squad_features(test::one_question("a", "", {}),
                                                     io::WordPiece({"[UNK]", "[CLS]", "[SEP]", "a", "[PAD]"}), {});
  DenseBatch batch;
  batch.fill(features, std::vector<std::int64_t>{0}, 6, 1);
  EXPECT_EQ(batch.input_ids, (std::vector<std::int32_t>{1, 2, 3, 2, 4, 4}));
}

TEST(SquadBatchTest, NothingOfTheBatchBeforeIsLeft) {
  DenseBatch batch;
  batch.fill(kFeatures, std::vector<std::int64_t>{1, 0}, 8, 1);
  batch.fill(kFeatures, std::vector<std::int64_t>{1}, 9, 1);
  EXPECT_EQ(batch.input_ids, (std::vector<std::int32_t>{2, 20, 3, 6, 7, 8, 3, 0, 0}));
  EXPECT_EQ(batch.labels, (std::vector<std::int32_t>{0, 0}));
}

TEST(SquadBatchTest, ASampleThatIsTooShortIsOurMistake) {
  DenseBatch batch;
  EXPECT_THROW(batch.fill(kFeatures, std::vector<std::int64_t>{0}, 6, 1), InternalError);
}

}  // namespace
}  // namespace phasor::run
