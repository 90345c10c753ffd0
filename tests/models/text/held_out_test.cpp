#include "models/text/held_out.h"

#include <gtest/gtest.h>

#include "tests/models/text/small_streams.h"
#include "tests/support/message.h"

namespace phasor::text {
namespace {

using namespace phasor::test;

// Where the part that is held out begins.
std::int64_t cut_of(const Ids& lengths, double fraction) {
  const TokenStream stream = counted(lengths);
  const HeldOut parts = hold_out(stream, fraction);
  std::vector<std::int32_t> together = all_tokens(parts.train);
  const std::vector<std::int32_t> dev = all_tokens(parts.dev);
  together.insert(together.end(), dev.begin(), dev.end());
  EXPECT_EQ(together, all_tokens(stream));
  return parts.train.size();
}

TEST(HoldOut, WholeDocumentsAtTheEnd) {
  const Ids tens(10, 10);
  EXPECT_EQ(cut_of(tens, 0.1), 90);
  EXPECT_EQ(cut_of(tens, 0.12), 90);
  EXPECT_EQ(cut_of(tens, 0.25), 70);  // 70 and 80 are as near: the first
  EXPECT_EQ(cut_of(tens, 0.99), 10);
  EXPECT_EQ(ends_of(hold_out(counted({10, 20, 30}), 0.5).dev), (Ids{30}));
}

TEST(HoldOut, TheEndOfALongDocument) {
  EXPECT_EQ(cut_of({1000}, 0.1), 900);
  EXPECT_EQ(cut_of({1000, 1000}, 0.1), 1800);  // the border would hold out five times as much
  EXPECT_EQ(cut_of({1000, 160, 840}, 0.4), 1160);
  EXPECT_EQ(cut_of({1000, 960, 40}, 0.1), 1800);
  EXPECT_EQ(ends_of(hold_out(counted({1000, 1000}), 0.1).train), (Ids{1000, 1800}));
  EXPECT_EQ(ends_of(hold_out(counted({1000, 1000}), 0.1).dev), (Ids{200}));
}

TEST(HoldOut, EitherPartHasSomethingToLearn) {
  EXPECT_EQ(cut_of({1000}, 1e-9), 998);
  EXPECT_EQ(cut_of({1000}, 1 - 1e-9), 2);
  EXPECT_EQ(cut_of({1, 999}, 0.999), 2);
  EXPECT_EQ(cut_of({4}, 0.5), 2);
  const auto refusal = [](std::int64_t tokens, double fraction) {
    return message_of([&] { hold_out(counted({tokens}), fraction); });
  };
  EXPECT_EQ(refusal(3, 0.5), "text: 3 tokens are too few to hold some of them out");
  EXPECT_EQ(refusal(9, 1), "text: a fraction of 1 cannot be held out, expected more than 0 and less than 1");
  EXPECT_EQ(refusal(9, 0), "text: a fraction of 0 cannot be held out, expected more than 0 and less than 1");
  EXPECT_NE(refusal(9, std::nan("")), "no error");
}

}  // namespace
}  // namespace phasor::text
