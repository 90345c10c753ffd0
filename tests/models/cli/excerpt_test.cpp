#include "models/cli/text/excerpt.h"

#include <gtest/gtest.h>

namespace phasor::cli {
namespace {

std::string shown(std::string_view context, std::int64_t begin, std::int64_t end, std::int64_t room) {
  const Excerpt excerpt = make_excerpt(context, begin, end, room);
  return excerpt.before + "[" + excerpt.answer + "]" + excerpt.after;
}

TEST(ExcerptTest, AShortContextIsShownWhole) {
  EXPECT_EQ(shown("one two three", 4, 7, 100), "one [two] three");
  EXPECT_EQ(shown("one two three", 4, 7, 6), "one [two] three");
  EXPECT_EQ(shown("one", 0, 3, 0), "[one]");
}

TEST(ExcerptTest, ALongOneIsCutBetweenWords) {
  EXPECT_EQ(shown("alpha beta gamma delta epsilon zeta", 17, 22, 9), "…gamma [delta] epsilon…");
  EXPECT_EQ(shown("alpha beta gamma delta epsilon zeta", 17, 22, 10), "…gamma [delta] epsilon…");
  EXPECT_EQ(shown("alpha beta gamma delta epsilon zeta", 17, 22, 13), "…beta gamma [delta] epsilon zeta");
}

TEST(ExcerptTest, WhereNoWordEndsItIsCutAnywhere) {
  EXPECT_EQ(shown(std::string(50, 'x'), 20, 22, 3), "…xxx[xx]xxx…");
  EXPECT_EQ(shown("a bcdefghijk X lmnopqrstuvw y", 13, 14, 6), "…ghijk [X] lmnop…");
}

TEST(ExcerptTest, CountsCodePoints) {
  EXPECT_EQ(shown("中国日本語テキスト", 2, 5, 2), "中国[日本語]テキ…");
  EXPECT_EQ(shown("é é é é é", 4, 5, 3), "…é [é] é…");
}

TEST(ExcerptTest, NothingThatATerminalObeysComesThrough) {
  EXPECT_EQ(shown("a\nb\t\x1b[31mc\x7f", 2, 3, 20), "a [b]  [31mc ");
  EXPECT_EQ(printable("x\u009By\u2028z\u00A0"), "x y z\u00A0");
  EXPECT_EQ(printable_lines("a\n\tb\x1b[1mc\r\u009Bd"), "a\n\tb [1mc  d");
}

}  // namespace
}  // namespace phasor::cli
