#include "models/digits/scores.h"

#include <cmath>
#include <gmock/gmock.h>

namespace phasor::digits {
namespace {

using ::testing::HasSubstr;

TEST(Readings, AreTheGreatestLogitAndItsProbability) {
  const float logits[] = {1, 3, 3, -1e4F};
  const Reading reading = read_logits(logits);
  EXPECT_EQ(reading.digit, 1);
  EXPECT_NEAR(reading.probability, 1 / (2 + std::exp(-2.0)), 1e-12);
  const float large[] = {3e38F, -3e38F};
  EXPECT_EQ(read_logits(large).probability, 1);
}

TEST(Readings, AreLinesOfAFile) {
  const Reading readings[] = {{7, 0.25}, {0, 1}};
  EXPECT_EQ(to_csv(readings), "image,digit,probability\n0,7,0.250000\n1,0,1.000000\n");
}

TEST(DigitScores, CountWhatWasTakenForWhat) {
  const Images images{.rows = 1, .columns = 2, .pixels = {0, 255, 1, 2, 3, 4, 5, 6}, .labels = {3, 3, 5, 0}};
  const Reading readings[] = {{3, 0.9}, {8, 0.6}, {3, 0.7}, {0, 1}};
  const run::Scores scores = score(images, readings);
  EXPECT_EQ(scores.values["accuracy"], 50.0);
  EXPECT_EQ(scores.values["images"], 4);
  EXPECT_EQ(scores.values["confusion"].size(), 10U);
  EXPECT_EQ(scores.values["confusion"][3][8], 1);
  EXPECT_EQ(scores.values["confusion"][5][3], 1);
  EXPECT_EQ(scores.values["confusion"][3][3], 1);
  EXPECT_EQ(scores.logged, std::vector<std::string>{"accuracy"});
  EXPECT_THAT(scores.text, HasSubstr("accuracy 50.00 %: 2 of 4 images\n"));
  ASSERT_EQ(scores.figures.size(), 1U);
  const std::string& picture = scores.figures[0].picture;
  EXPECT_THAT(picture, HasSubstr("3, not 8: 60 %"));
  EXPECT_LT(picture.find("5, not 3: 70 %"), picture.find("3, not 8: 60 %"));  // the surest first
}

TEST(DigitScores, WithoutAMistakeThereIsNothingToShow) {
  const Images images{.rows = 1, .columns = 1, .pixels = {9}, .labels = {4}};
  const run::Scores scores = score(images, std::vector<Reading>{{4, 0.5}});
  EXPECT_EQ(scores.values["accuracy"], 100.0);
  EXPECT_TRUE(scores.figures.empty());
}

}  // namespace
}  // namespace phasor::digits
