#include "models/squad/spans.h"

#include <cmath>
#include <gtest/gtest.h>

#include "tests/models/squad/letters.h"
#include "tests/support/message.h"

namespace phasor::squad {
namespace {

using test::one_question;

class SquadSpansTest : public testing::Test {
 protected:
  // The context "a, b c d e f" in two windows of four tokens that share two: ".q|a,bc|", ".q|bcde|" and so on.
  void ask(bool impossible = false) {
    data_ = one_question("A, b c d e f", "q", {{"b", 3}});
    data_.has_impossible = impossible;
    features_ =
        make_features(data_, io::WordPiece(test::letters_vocabulary()),
                      {.sequence_length = 8, .document_stride = 2, .max_query_length = 1, .keep_characters = true});
  }
  SpanSearch search(const SpanSettings& settings = {}) { return {data_, features_, settings}; }
  // Logits of a feature: -9 everywhere but at the positions given.
  static std::vector<float> logits(std::initializer_list<std::pair<int, float>> peaks) {
    std::vector<float> values(8, -9);
    for (const auto& [position, value] : peaks) values[position] = value;
    return values;
  }

  io::SquadData data_;
  Features features_;
};

TEST_F(SquadSpansTest, CutsTheAnswerFromTheOriginalText) {
  ask();
  ASSERT_EQ(features_.length(0), 8);
  auto spans = search();
  spans.add(0, logits({{3, 5.0F}}), logits({{5, 4.0F}}));
  const Prediction prediction = spans.predictions()[0];
  EXPECT_EQ(prediction.text, "A, b");
  EXPECT_EQ(prediction.spans[0], (AnswerSpan{0, 4, 5, 4}));
  EXPECT_EQ(prediction.spans.size(), 10U);  // every start with every end behind it
}

TEST_F(SquadSpansTest, OnlyTokensOfTheWindowCount) {
  ask();
  auto spans = search();
  // The question, [CLS] and both [SEP] have the highest logits.
  spans.add(0, logits({{0, 20}, {1, 30}, {2, 30}, {4, 1}, {7, 30}}), logits({{0, 20}, {1, 30}, {4, 1}, {7, 30}}));
  EXPECT_EQ(spans.predictions()[0].text, ",");
  EXPECT_EQ(spans.predictions()[0].null.score(), 40);
}

TEST_F(SquadSpansTest, AnswersDoNotEndBeforeTheyBegin) {
  ask();
  auto spans = search();
  spans.add(0, logits({{6, 5}, {3, 1}}), logits({{3, 5}, {6, 1}}));
  // c..a would score 10; a..a and c..c both 6, of which the earlier wins.
  EXPECT_EQ(spans.predictions()[0].text, "A");
}

TEST_F(SquadSpansTest, LongAnswersAreLeftOut) {
  ask();
  for (const auto& [tokens, text] : {std::pair{4, "A, b c"}, std::pair{3, ", b c"}, std::pair{1, "c"}}) {
    auto spans = search({.max_answer_tokens = tokens});
    spans.add(0, logits({{3, 5}, {4, 4}, {5, 2}, {6, 3}}), logits({{6, 5}, {3, -8}}));
    EXPECT_EQ(spans.predictions()[0].text, text);
  }
}

TEST_F(SquadSpansTest, WindowsOfAQuestionCompeteInAnyOrder) {
  ask();
  ASSERT_GE(features_.size(), 2);
  const std::vector<float> strong = logits({{5, 6}});
  const std::vector<float> weak = logits({{4, 5}});
  for (const bool forward : {true, false}) {
    auto spans = search();
    spans.add(forward ? 0 : 1, forward ? weak : strong, forward ? weak : strong);
    spans.add(forward ? 1 : 0, forward ? strong : weak, forward ? strong : weak);
    const Prediction prediction = spans.predictions()[0];
    EXPECT_EQ(prediction.text, "d");
    EXPECT_EQ(prediction.null.score(), -18);
  }
}

TEST_F(SquadSpansTest, ASpanSeenInTwoWindowsIsOneCandidate) {
  ask();
  auto spans = search({.n_best = 2});
  spans.add(0, logits({{5, 6}, {6, 5}}), logits({{5, 6}, {6, 5}}));  // b in the first window
  spans.add(1, logits({{3, 7}, {4, 5}}), logits({{3, 7}, {4, 5}}));  // and in the second
  const Prediction prediction = spans.predictions()[0];
  ASSERT_EQ(prediction.spans.size(), 2U);
  EXPECT_EQ(prediction.spans[0], (AnswerSpan{3, 4, 7, 7}));
  EXPECT_EQ(prediction.spans[1], (AnswerSpan{3, 6, 7, 5}));
}

TEST_F(SquadSpansTest, OnlyTheBestStartsAndEndsAreCombined) {
  ask();
  auto spans = search({.n_best = 1});
  spans.add(0, logits({{4, 5}, {3, 4}}), logits({{3, 5}, {4, 4}}));
  EXPECT_TRUE(spans.predictions()[0].spans.empty());  // the best end lies before the best start
  EXPECT_EQ(spans.predictions()[0].text, "");
}

TEST_F(SquadSpansTest, EqualScoresPreferTheEarlierAndTheShorter) {
  ask();
  auto spans = search();
  spans.add(1, std::vector<float>(8, 1), std::vector<float>(8, 1));
  spans.add(0, std::vector<float>(8, 1), std::vector<float>(8, 1));
  EXPECT_EQ(spans.predictions()[0].text, "A");
  EXPECT_EQ(spans.predictions()[0].spans[1], (AnswerSpan{0, 2, 1, 1}));
}

// Of more equal logits than are combined, those of the earlier tokens are.
TEST_F(SquadSpansTest, OfEqualLogitsTheEarlierAreCombined) {
  ask();
  auto spans = search({.n_best = 2});
  spans.add(0, std::vector<float>(8, 1), std::vector<float>(8, 1));
  EXPECT_EQ(spans.predictions()[0].spans, (std::vector<AnswerSpan>{{0, 1, 1, 1}, {0, 2, 1, 1}}));
  auto other = search({.n_best = 2});
  other.add(0, logits({{3, 1}, {4, 2}, {5, 1}, {6, 1}}), logits({{3, 1}, {4, 1}, {5, 1}, {6, 2}}));
  // The starts at tokens 4 and 3, the ends at tokens 6 and 3.
  EXPECT_EQ(other.predictions()[0].spans, (std::vector<AnswerSpan>{{1, 6, 2, 2}, {0, 6, 1, 2}}));
}

// The earlier beginning wins, though its span ends later; of one beginning the earlier end does.
TEST_F(SquadSpansTest, OfEqualScoresTheBeginningCountsBeforeTheEnd) {
  ask();
  auto spans = search();
  spans.add(0, logits({{3, 2}, {4, 3}}), logits({{4, 2}, {6, 3}}));
  const std::vector<AnswerSpan> best = spans.predictions()[0].spans;
  EXPECT_EQ(best[0], (AnswerSpan{1, 6, 3, 3}));
  EXPECT_EQ(best[1], (AnswerSpan{0, 6, 2, 3}));  // 5, as from token 4 to token 4
  EXPECT_EQ(best[2], (AnswerSpan{1, 2, 3, 2}));
}

TEST_F(SquadSpansTest, NoAnswerCompetesWhereItIsPossible) {
  const std::vector<float> scores = logits({{0, 4}, {5, 3}});  // 8 for no answer, 6 for "b"
  ask(false);
  auto without = search();
  without.add(0, scores, scores);
  EXPECT_EQ(without.predictions()[0].text, "b");
  ask(true);
  for (const auto& [threshold, text] : {std::pair{0.0F, ""}, std::pair{1.9F, ""}, std::pair{2.0F, "b"}}) {
    auto with = search({.null_threshold = threshold});
    with.add(0, scores, scores);
    EXPECT_EQ(with.predictions()[0].text, text) << threshold;
  }
}

TEST_F(SquadSpansTest, TheLowestNullScoreOfTheWindowsCounts) {
  ask(true);
  auto spans = search();
  spans.add(0, logits({{0, 9}, {5, 3}}), logits({{0, 9}, {5, 3}}));
  spans.add(1, logits({{0, 1}}), logits({{0, 1}}));
  EXPECT_EQ(spans.predictions()[0].null.score(), 2);
  EXPECT_EQ(spans.predictions()[0].text, "b");
  // In any order.
  auto turned = search();
  turned.add(1, logits({{0, 1}}), logits({{0, 1}}));
  turned.add(0, logits({{0, 9}, {5, 3}}), logits({{0, 9}, {5, 3}}));
  EXPECT_EQ(turned.predictions()[0].null.score(), 2);
  EXPECT_EQ(turned.predictions()[0].text, "b");
}

TEST_F(SquadSpansTest, CandidatesShareTheProbability) {
  ask(true);
  auto spans = search({.n_best = 2, .null_threshold = 9});
  spans.add(0, logits({{0, 2}, {3, 3}, {5, 1}}), logits({{0, 1}, {3, 2}, {5, 1}}));
  // "A" with 3 + 2, "A, b" with 3 + 1, no answer with 2 + 1; "b" with 1 + 1 is beyond the two best.
  const std::vector<AnswerCandidate> candidates = spans.candidates(0);
  ASSERT_EQ(candidates.size(), 3U);
  const double total = 1 + std::exp(-1.0) + std::exp(-2.0);
  EXPECT_EQ(candidates[0].text, "A");
  EXPECT_EQ(candidates[1].text, "A, b");
  EXPECT_EQ(candidates[2].text, "");
  EXPECT_EQ(candidates[2].span, (AnswerSpan{0, 0, 2, 1}));
  for (int i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(candidates[i].probability, std::exp(-i) / total);
  EXPECT_EQ(spans.predictions()[0].null_odds(), -2);
}

TEST_F(SquadSpansTest, NoAnswerIsNoCandidateWhereItIsImpossible) {
  ask(false);
  auto spans = search({.n_best = 1});
  spans.add(0, logits({{0, 9}, {3, 3}}), logits({{0, 9}, {3, 3}}));
  ASSERT_EQ(spans.candidates(0).size(), 1U);
  EXPECT_EQ(spans.candidates(0)[0].probability, 1);
  // Unless there is nothing else.
  const std::vector<AnswerCandidate> nothing = search().candidates(0);
  ASSERT_EQ(nothing.size(), 1U);
  EXPECT_EQ(nothing[0].text, "");
  EXPECT_EQ(nothing[0].probability, 1);
}

TEST_F(SquadSpansTest, AQuestionWithoutLogitsHasNoAnswer) {
  ask();
  EXPECT_EQ(search().predictions()[0].text, "");
}

TEST_F(SquadSpansTest, NanIsNoAnswer) {
  ask();
  auto spans = search();
  spans.add(0, logits({{3, std::nanf("")}, {5, 2}}), logits({{3, std::nanf("")}, {5, 2}}));
  EXPECT_EQ(spans.predictions()[0].text, "b");
}

TEST_F(SquadSpansTest, SettingsThatAllowNothing) {
  ask();
  EXPECT_EQ(phasor::test::message_of([&] { search({.n_best = 0}); }),
            "squad: n_best 0 and max_answer_tokens 30 must be at least 1");
}

}  // namespace
}  // namespace phasor::squad
