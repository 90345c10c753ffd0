#include "models/squad/windows.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace phasor::squad {
namespace {

// As Transformers' fast tokenizers do it: a window at every step until one reaches the end.
std::vector<Window> windows_by_search(std::int64_t length, std::int64_t room, std::int64_t overlap) {
  std::vector<Window> windows;
  for (std::int64_t begin = 0; windows.empty() || windows.back().end < length; begin += room - overlap)
    windows.push_back({begin, std::min(begin + room, length)});
  return windows;
}

TEST(SquadWindowsTest, EqualToTheSearchForEveryLength) {
  for (std::int64_t room = 1; room <= 7; ++room) {
    for (std::int64_t overlap = 0; overlap < room; ++overlap) {
      for (std::int64_t length = 0; length <= 30; ++length) {
        const std::vector<Window> expected = windows_by_search(length, room, overlap);
        ASSERT_EQ(count_windows(length, room, overlap), std::ssize(expected))
            << length << " " << room << " " << overlap;
        for (std::int64_t i = 0; i < std::ssize(expected); ++i)
          ASSERT_EQ(window_at(i, length, room, overlap), expected[i]) << length << " " << room << " " << overlap;
      }
    }
  }
}

// Tokens: 0 "ab" at 2..4, 1 "cd" at 5..7, 2 "e" at 7..8, 3 and 4 both from the character at 9..10.
const std::vector<std::int32_t> kBegins = {2, 5, 7, 9, 9};
const std::vector<std::int32_t> kEnds = {4, 7, 8, 10, 10};

TokenSpan find(std::int64_t begin, std::int64_t end) { return find_answer(kBegins, kEnds, begin, end); }

TEST(SquadWindowsTest, FindsTheTokensOfAnAnswer) {
  EXPECT_EQ(find(2, 4), (TokenSpan{0, 0}));
  EXPECT_EQ(find(5, 8), (TokenSpan{1, 2}));
  EXPECT_EQ(find(2, 10), (TokenSpan{0, 4}));  // the whole window
}

TEST(SquadWindowsTest, AnAnswerInsideATokenTakesTheToken) {
  EXPECT_EQ(find(3, 6), (TokenSpan{0, 1}));
  EXPECT_EQ(find(6, 7), (TokenSpan{1, 1}));
}

TEST(SquadWindowsTest, AnAnswerThatBeginsBetweenTokensTakesTheTokenBefore) { EXPECT_EQ(find(4, 7), (TokenSpan{0, 1})); }

TEST(SquadWindowsTest, AnAnswerTakesEveryTokenOfItsCharacters) { EXPECT_EQ(find(9, 10), (TokenSpan{3, 4})); }

TEST(SquadWindowsTest, AnAnswerThatReachesOutsideIsNotFound) {
  EXPECT_EQ(find(1, 4), TokenSpan{});
  EXPECT_EQ(find(7, 11), TokenSpan{});
  EXPECT_EQ(find(0, 1), TokenSpan{});
  EXPECT_EQ(find(20, 21), TokenSpan{});
  EXPECT_EQ(find_answer({}, {}, 0, 1), TokenSpan{});
}

}  // namespace
}  // namespace phasor::squad
