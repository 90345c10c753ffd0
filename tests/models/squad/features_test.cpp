#include "models/squad/features.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/base/parallel.h"
#include "io/text/utf8.h"
#include "tests/models/squad/letters.h"
#include "tests/support/message.h"
#include "tests/support/shared_data.h"

namespace phasor::squad {
namespace {

using test::one_question;

// Windows of 5 tokens beside a question of 2, each sharing 2 with the one before.
const FeatureSettings kSmall = {
    .sequence_length = 10, .document_stride = 2, .max_query_length = 2, .keep_characters = true};

Features make(const io::SquadData& data, const FeatureSettings& settings = kSmall) {
  return make_features(data, io::WordPiece(test::letters_vocabulary()), settings);
}

// "[CLS] q [SEP] a b [SEP]" as letters: ".q|ab|".
std::string shown(std::span<const std::int32_t> tokens) {
  std::string text;
  for (const std::int32_t token : tokens)
    text += token == test::kCls ? '.' : token == test::kSep ? '|' : static_cast<char>('a' + token - 4);
  return text;
}

TEST(SquadFeaturesTest, CutsLongContextsAndLongQuestions) {
  const Features features = make(one_question("a b c d e f g h i", "q r s", {{"d e", 6}}));
  ASSERT_EQ(features.size(), 3);
  EXPECT_EQ(shown(features.tokens_of(0)), ".qr|abcde|");
  EXPECT_EQ(shown(features.tokens_of(1)), ".qr|defgh|");
  EXPECT_EQ(shown(features.tokens_of(2)), ".qr|ghi|");
  EXPECT_EQ(features.questions, (std::vector<std::int32_t>{0, 0, 0}));
  EXPECT_EQ(features.context_begins, (std::vector<std::int32_t>{4, 4, 4}));
  // The answer lies at the end of the first window, at the beginning of the second, and outside the third.
  EXPECT_EQ(features.starts, (std::vector<std::int32_t>{7, 4, 0}));
  EXPECT_EQ(features.ends, (std::vector<std::int32_t>{8, 5, 0}));
}

TEST(SquadFeaturesTest, AnAnswerHalfInsideAWindowIsNotThere) {
  const Features features = make(one_question("a b c d e f g h i", "q r", {{"c d", 4}}));
  EXPECT_EQ(features.starts, (std::vector<std::int32_t>{6, 0, 0}));
  EXPECT_EQ(features.ends, (std::vector<std::int32_t>{7, 0, 0}));
}

TEST(SquadFeaturesTest, AShorterQuestionLeavesMoreRoom) {
  const Features features = make(one_question("a b c d e f", "q", {{"a", 0}}));
  ASSERT_EQ(features.size(), 1);
  EXPECT_EQ(shown(features.tokens_of(0)), ".q|abcdef|");
}

TEST(SquadFeaturesTest, NothingToAskAndNothingToReadIn) {
  const Features features = make(one_question(" \n", "", {}));
  ASSERT_EQ(features.size(), 1);
  EXPECT_EQ(shown(features.tokens_of(0)), ".||");
  EXPECT_EQ(features.context_begins[0], 2);
}

TEST(SquadFeaturesTest, ImpossibleQuestionsPointAtCls) {
  const Features features = make(one_question("a b", "q", {}));
  EXPECT_EQ(features.starts[0], 0);
  EXPECT_EQ(features.ends[0], 0);
}

TEST(SquadFeaturesTest, TheFirstAnswerIsTheLabel) {
  const Features features = make(one_question("a b c", "q", {{"c", 4}, {"a", 0}}));
  EXPECT_EQ(features.starts[0], 5);
  EXPECT_EQ(features.ends[0], 5);
}

TEST(SquadFeaturesTest, CharactersAreThoseOfTheContext) {
  const Features features = make(one_question("á\u0301 b  c", "q", {{"b", 3}}));
  EXPECT_EQ(shown(features.tokens_of(0)), ".q|abc|");
  EXPECT_EQ(features.char_begins, (std::vector<std::int32_t>{0, 0, 0, 0, 3, 6, 0}));
  EXPECT_EQ(features.char_ends, (std::vector<std::int32_t>{0, 0, 0, 1, 4, 7, 0}));
  EXPECT_EQ(features.starts[0], 4);
}

TEST(SquadFeaturesTest, WithoutCharactersUnlessAsked) {
  const Features features = make(one_question("a", "q", {{"a", 0}}), {});
  EXPECT_TRUE(features.char_begins.empty());
  EXPECT_TRUE(features.char_ends.empty());
}

TEST(SquadFeaturesTest, SettingsWithoutRoomShowTheArithmetic) {
  const io::SquadData data = one_question("a", "q", {{"a", 0}});
  EXPECT_EQ(phasor::test::message_of([&] { make(data, {.sequence_length = 128}); }),
            "squad: sequence_length - max_query_length - special tokens = 128 - 64 - 3 = 61 tokens of context do not "
            "exceed document_stride 128, which neighbouring windows share");
  EXPECT_EQ(phasor::test::message_of([&] { make(data, {.document_stride = -1}); }),
            "squad: document_stride -1 and max_query_length 64 must not be negative");
}

void expect_same(const Features& a, const Features& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_EQ(a.char_begins, b.char_begins);
  EXPECT_EQ(a.char_ends, b.char_ends);
  EXPECT_EQ(a.questions, b.questions);
  EXPECT_EQ(a.context_begins, b.context_begins);
  EXPECT_EQ(a.starts, b.starts);
  EXPECT_EQ(a.ends, b.ends);
}

TEST(SquadFeaturesTest, TheSameForAnyNumberOfThreads) {
  io::SquadData data = one_question("a b c d e f g h i", "q r s", {{"d e", 6}});
  data.questions.resize(300, data.questions[0]);
  for (std::size_t i = 0; i < data.questions.size(); ++i) data.questions[i].text.resize(i % 6);
  const Features one = make(data);
  for (const int team : {2, 3, 7}) {
    set_threads(team);
    const Features many = make(data);
    set_threads(1);
    expect_same(one, many);
  }
}

class RealSquadTest : public testing::TestWithParam<std::pair<const char*, std::int64_t>> {};

// The counts are those of Transformers' question-answering example.
TEST_P(RealSquadTest, HasAsManyFeaturesAsTransformers) {
  const auto [file, count] = GetParam();
  PHASOR_NEEDS_DATA("bert-base-uncased/vocab.txt");
  PHASOR_NEEDS_DATA(file);
  const auto wordpiece = io::WordPiece::load(phasor::test::shared_data("bert-base-uncased/vocab.txt"));
  const io::SquadData data = io::read_squad(phasor::test::shared_data(file));
  const Features features = make_features(data, wordpiece, {.keep_characters = true});
  EXPECT_EQ(features.size(), count);

  // Every answer lies whole in a feature, and the labelled tokens cover it, by less than a token more at either end.
  std::vector<bool> found(data.questions.size());
  for (std::int64_t f = 0; f < features.size(); ++f) {
    const io::SquadQuestion& question = data.questions[features.questions[f]];
    if (features.starts[f] == 0) continue;
    found[features.questions[f]] = true;
    const std::int64_t row = features.rows[f];
    const std::int64_t first = row + features.starts[f];
    const std::int64_t last = row + features.ends[f];
    const io::SquadAnswer& answer = question.answers[0];
    const std::int64_t end = answer.start + io::count_code_points(answer.text);
    EXPECT_LE(first, last);
    EXPECT_LE(features.char_begins[first], answer.start);
    EXPECT_GE(features.char_ends[last], end);
    EXPECT_TRUE(features.starts[f] + 1 == features.length(f) - 1 || features.char_begins[first + 1] >= answer.start);
  }
  const auto answerable = std::ranges::count(data.questions, false, &io::SquadQuestion::impossible);
  EXPECT_EQ(std::ranges::count(found, true), answerable);
}

INSTANTIATE_TEST_SUITE_P(Files, RealSquadTest,
                         testing::Values(std::pair{"squad/train-v1.1.json", 88524},
                                         std::pair{"squad/dev-v1.1.json", 10784}));

}  // namespace
}  // namespace phasor::squad
