#include <gtest/gtest.h>

#include "io/text/utf8.h"
#include "models/squad/scores.h"
#include "tests/models/squad/letters.h"
#include "tests/support/shared_data.h"

namespace phasor::squad {
namespace {

Evaluation score_squad(const io::SquadData& data, const std::vector<std::string>& predictions) {
  return total_scores(data, score_questions(data, predictions));
}

// Expected values throughout: the official evaluation scripts run on the same texts.
TEST(SquadMetricsTest, NormalizesAsPythonDoes) {
  const std::pair<const char*, const char*> cases[] = {
      {"The  quick, brown fox!", "quick brown fox"},
      {"an apple a day", "apple day"},
      {"A", ""},
      {"theory than a.b", "theory than ab"},
      {"a\u0301 b", "\u0301 b"},  // an accent of its own ends the word "a"
      {"the\u00A0end", "end"},
      {"x\u2003y\x1Cz", "x y z"},
      {"ΟΔΥΣΣΕΥΣ Σ", "οδυσσευς σ"},
      {"ΑΣ.Α", "ασα"},  // lower case first: inside a word across the full stop
      {"İstanbul", "i\u0307stanbul"},
      {"STRASSE ẞ", "strasse ß"},
      {"naïve—the—café", "naïve— —café"},
      {"“the” end", "“ ” end"},
      {"U.S.A.", "usa"},
      {"don't", "dont"},
      {"an-a", "ana"},
      {"a_the_b", "atheb"},
      {"½ a ②", "½ ②"},
      {"中 the 国", "中 国"},
      {"the中", "the中"},
      {"\u200Bthe", "\u200B"},
      {"$1,000.50", "100050"},
      {"", ""},
      {" \t\n", ""},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(normalize_answer(text), expected) << text;
}

TEST(SquadMetricsTest, F1CountsSharedWords) {
  for (const Rules rules : {Rules::V1, Rules::V2}) {
    EXPECT_DOUBLE_EQ(f1_score("the cat sat", "cat sat down", rules), 0.8);
    EXPECT_DOUBLE_EQ(f1_score("cat cat cat", "cat dog", rules), 0.4);
    EXPECT_DOUBLE_EQ(f1_score("b b b b", "b b", rules), 0.6666666666666666);
    EXPECT_DOUBLE_EQ(f1_score("a b c d e f g", "c", rules), 0.2857142857142857);
    EXPECT_DOUBLE_EQ(f1_score("one two", "One, two!", rules), 1);
    EXPECT_DOUBLE_EQ(f1_score("x", "the", rules), 0);
    EXPECT_DOUBLE_EQ(f1_score("x", "y", rules), 0);
  }
}

TEST(SquadMetricsTest, TheScriptsDifferWhereNothingIsLeft) {
  for (const auto& [prediction, gold] : {std::pair{"", ""}, std::pair{"", "the"}, std::pair{"the", "a"}}) {
    EXPECT_TRUE(exact_match(prediction, gold));
    EXPECT_EQ(f1_score(prediction, gold, Rules::V1), 0);
    EXPECT_EQ(f1_score(prediction, gold, Rules::V2), 1);
  }
}

TEST(SquadMetricsTest, TheBestGoldCountsForEachMeasure) {
  io::SquadData data = test::one_question("c", "q", {{"cat sat down", 0}, {"dog", 0}});
  data.questions.push_back(data.questions[0]);
  data.questions.push_back(data.questions[0]);
  const std::vector<std::string> predictions = {"The cat sat", "DOG", ""};
  const MeanScores scores = score_squad(data, predictions);
  EXPECT_DOUBLE_EQ(scores.exact_match, 100.0 / 3);
  EXPECT_DOUBLE_EQ(scores.f1, 100 * 1.8 / 3);
  EXPECT_EQ(scores.questions, 3);
}

TEST(SquadMetricsTest, ImpossibleQuestionsWantNoAnswer) {
  io::SquadData data = test::one_question("c", "q", {});
  data.questions.push_back(data.questions[0]);
  data.questions.push_back({.id = "q2", .text = "q", .context = 0, .answers = {{"the", 0}, {"cat", 0}}});
  const std::vector<std::string> predictions = {"", "cat", ""};
  const MeanScores scores = score_squad(data, predictions);
  // The gold answer "the" is passed over, so that "" does not match it.
  EXPECT_DOUBLE_EQ(scores.exact_match, 100.0 / 3);
  EXPECT_DOUBLE_EQ(scores.f1, 100.0 / 3);
}

// Predictions made from the data: the last gold answer, every third without its first word, every fifth with words
// that do not belong to it.
std::vector<std::string> designed_predictions(const io::SquadData& data) {
  std::vector<std::string> predictions;
  for (std::size_t i = 0; i < data.questions.size(); ++i) {
    const io::SquadQuestion& question = data.questions[i];
    std::string text = question.answers.empty() ? "" : question.answers.back().text;
    if (i % 3 == 0) text = text.substr(std::min(text.find(' '), text.size()));
    if (i % 5 == 0) text += " of the " + std::string(io::slice_code_points(data.contexts[question.context], 0, 1));
    predictions.push_back(text);
  }
  return predictions;
}

TEST(SquadMetricsTest, RealFilesScoreAsOfficially) {
  PHASOR_NEEDS_DATA("squad/dev-v1.1.json");
  PHASOR_NEEDS_DATA("squad/dev-v2.0.json");
  const io::SquadData first = io::read_squad(phasor::test::shared_data("squad/dev-v1.1.json"));
  const MeanScores one = score_squad(first, designed_predictions(first));
  EXPECT_DOUBLE_EQ(one.exact_match, 56.49006622516556);
  EXPECT_DOUBLE_EQ(one.f1, 78.05626617883364);
  const io::SquadData second = io::read_squad(phasor::test::shared_data("squad/dev-v2.0.json"));
  const MeanScores two = score_squad(second, designed_predictions(second));
  EXPECT_DOUBLE_EQ(two.exact_match, 68.1462140992167);
  EXPECT_DOUBLE_EQ(two.f1, 79.21941376103587);
}

}  // namespace
}  // namespace phasor::squad
